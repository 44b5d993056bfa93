// The events that the service reports for measurements. Nothing here ever holds a token, a key, a
// subject or a record's value.

/** A request whose answer is written, or whose connection ended before that. */
export interface FinishedRequest {
  /** A path pattern of the route table, or `other`. Never the path itself: it may hold a subject. */
  readonly route: string;
  readonly method: string;
  /** Undefined if the connection ended before a status was sent. */
  readonly status: number | undefined;
  /** From the request's headers to the last byte of the answer. */
  readonly milliseconds: number;
  /** The connection ended before the whole answer was written. */
  readonly aborted: boolean;
  /** The request id; undefined if the request never reached the handler. */
  readonly requestId: string | undefined;
  /** Sent on the connection for this request, headers included. */
  readonly bytes: number;
}

export type CommitStatus = 'committed' | 'notStored' | 'unknown';
export type IdentityOutcome = 'identified' | 'invalid' | 'unavailable';

export interface ServiceEvents {
  requestFinished(request: FinishedRequest): void;
  /** `writes`: how many it held. `error`: why, if the status is not `committed`. */
  commitEnded(status: CommitStatus, writes: number, milliseconds: number, error?: unknown): void;
  /** A record was changed and its audit event was not stored. */
  auditFailed(): void;
  storageLost(): void;
  /** A request had a wrong admin key. */
  adminKeyRefused(): void;
  /** A token was checked with the identity provider. */
  identityChecked(outcome: IdentityOutcome, milliseconds: number): void;
  /** A check shared the result of one in progress, or of an earlier one. */
  identityShared(how: 'joined' | 'remembered'): void;
  backupTaken(): void;
  /** `reason`: one sentence. */
  backupFailed(reason: string): void;
  /** The replica has every commit before the sync began. */
  replicaSynced(milliseconds: number): void;
  replicaFailed(): void;
}
