// What a route answers, before it is an HTTP response.

import { type ErrorCode, type Failure, failed, type Outcome } from '../domain/errors.js';
import type { Pagination, Texts } from '../domain/listing.js';

export type Answer =
  /** One JSON text as `data`. */
  | { readonly kind: 'data'; readonly status: 200 | 201; readonly data: string }
  /** JSON texts as the rows of `data`. */
  | {
      readonly kind: 'list';
      readonly items: Texts;
      readonly pagination: Pagination;
    }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly allow?: string };

export function data(text: string, status: 200 | 201 = 200): Answer {
  return { kind: 'data', status, data: text };
}

export function list(items: Texts, pagination: Pagination): Answer {
  return { kind: 'list', items, pagination };
}

export function failure(reason: Failure, allow?: string): Answer {
  return allow === undefined
    ? { kind: 'failure', failure: reason }
    : { kind: 'failure', failure: reason, allow };
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
