// The answer of a route, before it is an HTTP response.

import { type ErrorCode, type Failure, failed, type Outcome } from '../domain/errors.js';
import type { Pagination, Rows } from '../domain/listing.js';

export type Answer = Success | { readonly failure: Failure; readonly allow?: string | undefined };

/**
 * `data` as JSON text: rows, separated by commas, between two texts. Each has every member: objects of
 * two shapes made a read dearer by 2 %.
 */
export interface Success {
  readonly status: 200 | 201;
  readonly before: string;
  readonly rows: Rows;
  readonly behind: string;
  readonly pagination: Pagination | undefined;
}

const NO_ROWS: Rows = [];

/** One JSON text as `data`. */
export function data(text: string, status: 200 | 201 = 200): Answer {
  return { status, before: text, rows: NO_ROWS, behind: '', pagination: undefined };
}

/** Rows as `data`. */
export function list(rows: Rows, pagination: Pagination): Answer {
  return { status: 200, before: '[', rows, behind: ']', pagination };
}

/** One object as `data`, with rows as its last member. `object` is its text without that member. */
export function dataWithRows(object: string, member: string, rows: Rows): Answer {
  const before = `${object.slice(0, -1)},${JSON.stringify(member)}:[`;
  return { status: 200, before, rows, behind: ']}', pagination: undefined };
}

export function failure(reason: Failure, allow?: string): Answer {
  return { failure: reason, allow };
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
