// The closed set of failures, as values. Inner layers return a
// `Failure`; the http layer is the only one that knows what status it has.

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
  // Only the HTTP layer of a host answers with these, before there is a request to route.
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

/** The result of an operation that may fail for a reason the caller must answer. Plain data: it can cross a process border. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(code: ErrorCode, message: string): { ok: false; failure: Failure } {
  return { ok: false, failure: { code, message } };
}

/** Ends the request of a client that disconnected before its turn. Nobody is left to read it. */
export function clientClosedRequest(): FailureError {
  const message = 'the connection was closed before the turn of its request';
  return new FailureError(failed('BAD_REQUEST', message).failure);
}

/** A failure that is thrown where the caller has no outcome to read. */
export class FailureError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
