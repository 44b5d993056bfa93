// The events that the service reports for metrics. They never contain a token, a key, a subject or a
// record's value.

/** A request whose response was written, or whose connection ended earlier. */
export interface FinishedRequest {
  /** A path pattern of the route table, or `other`. Never the path itself, which may contain a subject. */
  readonly route: string;
  readonly method: string;
  /** Undefined if the connection ended before a status was sent. */
  readonly status: number | undefined;
  /** From the request's headers to the last byte of the response. */
  readonly milliseconds: number;
  /** The connection ended before the whole response was written. */
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
  /** `writes`: how many it contained. `error`: the reason, if the status isn't `committed`. */
  commitEnded(status: CommitStatus, writes: number, milliseconds: number, error?: unknown): void;
  /** A record was changed, but its audit event wasn't stored. */
  auditFailed(): void;
  storageLost(): void;
  /** A request had a wrong admin key. */
  adminKeyRefused(): void;
  /** A token was checked with the identity provider. */
  identityChecked(outcome: IdentityOutcome, milliseconds: number): void;
  /** A check used the result of one in progress, or a cached one. */
  identityShared(how: 'joined' | 'remembered'): void;
  backupTaken(): void;
  /** `reason`: one sentence. */
  backupFailed(reason: string): void;
  /** The replica has every commit from before the sync. */
  replicaSynced(milliseconds: number): void;
  replicaFailed(): void;
}
