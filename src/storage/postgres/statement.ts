// A statement on Postgres, and how it can end.

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** The same for many at once: each value is an array, and `n` of a row says whose it is, from 1. */
  readonly together?: string;
}

export interface Answered<Row> {
  readonly rows: readonly Row[];
  /** An earlier try was sent and got no answer: it may have been stored. */
  readonly wasLost: boolean;
}

/** A write was sent, and nobody knows what became of it. */
export class Unknown extends Error {}

/** The row is there already: of an earlier try of the same write. */
export class AlreadyStored extends Error {}
