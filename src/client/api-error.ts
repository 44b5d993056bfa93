// The one error class of the clients.

/** The service's error codes. */
export type ServiceErrorCode =
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
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE';

/**
 * The client's own codes: no connection, no answer in time, an answer that is
 * not the service's, or a proxy in front of it that asks for fewer requests.
 */
export type ClientErrorCode =
  | 'CONNECTION_FAILED'
  | 'TIMED_OUT'
  | 'UNEXPECTED_ANSWER'
  | 'RATE_LIMITED';

export type ApiErrorCode = ServiceErrorCode | ClientErrorCode;

export interface ApiErrorFacts {
  /** The answer's HTTP status; undefined if no answer came. */
  readonly status?: number | undefined;
  /** The request id, by which the service's log can be searched; undefined if no answer came. */
  readonly requestId?: string | undefined;
  /** How long to wait before the next try, in milliseconds, where the answer says so. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Decide on `code`. The message is for developers and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ApiErrorCode, message: string, facts: ApiErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}
