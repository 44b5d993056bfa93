// The closed set of failures, as values. Only the HTTP layer maps a `Failure` to a status.

export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'VALIDATION_FAILED'
  | 'STORAGE_FAILED'
  | 'STORAGE_UNAVAILABLE'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'AUTH_UNAVAILABLE'
  | 'ADMIN_DISABLED'
  // Only a host's HTTP server responds with these, before there is a request to route.
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE';

/** What the client gets: a code to branch on, and a message for its developer. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** Whole seconds after which a retry may succeed, if known. */
  readonly retryAfterSeconds?: number;
}

/** The result of an operation that may fail for a reason that the client gets. Plain data, which can cross a process boundary. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(code: ErrorCode, message: string): { ok: false; failure: Failure } {
  return { ok: false, failure: { code, message } };
}

/** Ends the queued request of a client that disconnected, so no client reads it. */
export function clientClosedRequest(): FailureError {
  const message = 'the connection closed while its request was queued';
  return new FailureError(failed('BAD_REQUEST', message).failure);
}

/** A failure that is thrown, for functions that return no outcome. */
export class FailureError extends Error {
  readonly failure: Failure;

  /** `cause`: for the log. */
  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, { cause });
    this.failure = failure;
  }
}
