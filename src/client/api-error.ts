// The one error that the clients throw.

/** What the service refuses with. */
export type ServiceErrorCode =
  | 'INVALID_JSON'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'VALIDATION_FAILED'
  | 'STORAGE_FAILED'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'AUTH_UNAVAILABLE'
  | 'ADMIN_DISABLED'
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE';

/** What the client itself finds: no connection, no answer in time, or an answer that is not the service's. */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMED_OUT' | 'UNEXPECTED_ANSWER';

export type ApiErrorCode = ServiceErrorCode | ClientErrorCode;

export interface ApiErrorFacts {
  /** The answer's HTTP status; undefined where no answer came. */
  readonly status?: number | undefined;
  /** Under which the service's log has it; undefined where no answer came. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** Decide on `code`; the message is for developers. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: ApiErrorCode, message: string, facts: ApiErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.requestId = facts.requestId;
  }
}
