// The answer of a route, before it is an HTTP response.

import { type ErrorCode, type Failure, failed, type Outcome } from '../domain/errors.js';
import type { Pagination, Rows } from '../domain/listing.js';

export type Answer =
  /** One JSON text as `data`. */
  | { readonly kind: 'data'; readonly status: 200 | 201; readonly data: string }
  /** Rows as an array within `data`, with the texts that stand before and behind the array. */
  | {
      readonly kind: 'rows';
      readonly before: string;
      readonly rows: Rows;
      readonly behind: string;
      readonly pagination?: Pagination;
    }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly allow?: string | undefined };

export function data(text: string, status: 200 | 201 = 200): Answer {
  return { kind: 'data', status, data: text };
}

/** Rows as `data`. */
export function list(rows: Rows, pagination: Pagination): Answer {
  return { kind: 'rows', before: '', rows, behind: '', pagination };
}

/** One object as `data`, with rows as its last member. `object` is its text without that member. */
export function dataWithRows(object: string, member: string, rows: Rows): Answer {
  const before = `${object.slice(0, -1)},${JSON.stringify(member)}:`;
  return { kind: 'rows', before, rows, behind: '}' };
}

export function failure(reason: Failure, allow?: string): Answer {
  return { kind: 'failure', failure: reason, allow };
}

export function refusal(code: ErrorCode, message: string, allow?: string): Answer {
  return failure(failed(code, message).failure, allow);
}

export function dataOf(outcome: Outcome<string>, status: 200 | 201 = 200): Answer {
  return outcome.ok ? data(outcome.value, status) : failure(outcome.failure);
}

/** "Deletion: `{ id, deleted }`." */
export function deletionOf(outcome: Outcome<string>): Answer {
  return outcome.ok
    ? data(JSON.stringify({ id: outcome.value, deleted: true }))
    : failure(outcome.failure);
}
