// A statement on Postgres, and how it can end.

import { hash } from 'node:crypto';

export interface Statement {
  /** For the metrics. */
  readonly kind: string;
  /** Under which Postgres keeps its plan. Another release has another text, and so another name. */
  readonly name: string;
  readonly text: string;
  /** Its values are columns, so that many go as one; `n` of a result row says whose it is, from 1. */
  readonly isGathered: boolean;
  /** It goes over the connections for searches, payments and views. */
  readonly isSlow: boolean;
}

export function statement(
  kind: string,
  text: string,
  { isGathered = false, isSlow = false } = {},
): Statement {
  const name = `${kind}_${hash('sha256', text, 'hex').slice(0, 12)}`;
  return { kind, name, text, isGathered, isSlow };
}

export interface Answered<Result> {
  readonly result: Result;
  /** An earlier attempt was sent and got no answer: it may have been stored. */
  readonly wasLost: boolean;
}

/** `refused`: by Postgres, which did nothing. `unsettled`: not done by the deadline, as far as anybody knows. */
export class StatementError extends Error {
  readonly kind: 'refused' | 'unsettled';
  readonly wasLost: boolean;
  /** Postgres' own, such as `23505`. */
  readonly code: string | undefined;

  constructor(kind: 'refused' | 'unsettled', cause: Error & { code?: string }, wasLost: boolean) {
    super(reasonOf(cause), { cause });
    this.kind = kind;
    this.code = cause.code;
    this.wasLost = wasLost;
  }
}

/** One sentence for the operator; the password of the URL is in none of pg's messages. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
