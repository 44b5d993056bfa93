// The other end of a move: where accounts of a file go, or come from. Every call may be made again.

import type {
  EventPlace,
  KnownAccounts,
  LeavingEvents,
  LeavingPiece,
  MovedEvent,
  MovedState,
} from '../../storage/move/move-messages.js';
import type { AnnouncedAccount, MovedRow } from '../../storage/move/moved-rows.js';

/** The other end says no to what was sent, and will again. */
export class Refused extends Error {}

/** The other end or the way to it fails, and may not the next time. */
export class Passing extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number | undefined },
  ) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function isPassing(error: unknown): error is Passing {
  return error instanceof Passing;
}

export type KnownAccount = KnownAccounts['accounts'][number];

export interface OtherPlace {
  /** In a report and in the unfinished file; without a password. */
  readonly name: string;
  /** What the operator does before an account that is there is moved once more. */
  readonly anew: string;
  /** The longest record that it stores. */
  readonly bodyMaxBytes: number;
  /** The first call: whether accounts can come and go. */
  reach(): Promise<void>;
  /** Ends what `reach` began. */
  close(): Promise<void>;
  /** Every account that has records there, in order. */
  accounts(): Promise<readonly KnownAccount[]>;
  /** No id of these numbers is given to a new record from here on. */
  raise(sequences: AnnouncedAccount['sequences']): Promise<void>;
  /** Resolves, once the account is whole there, with how many of the rows were not there before. Rejects with `Refused`. */
  arrive(arriving: ArrivingAccount): Promise<number>;
  state(account: string): Promise<MovedState>;
  piece(account: string, after: number): Promise<LeavingPiece>;
  events(place: EventPlace): Promise<LeavingEvents>;
  /** Resolves with how many of these the audit log has then. */
  sendEvents(events: readonly MovedEvent[]): Promise<number>;
}

export interface ArrivingAccount {
  readonly owner: string;
  readonly announced: AnnouncedAccount;
  /** All of its rows, from the first one, each time. */
  pieces(): Iterable<readonly MovedRow[]>;
  /** Is told of rows that are there. */
  readonly arrived: (rows: number) => void;
}
