// The clients' only error: every failed call rejects with it. Its type is a union discriminated by
// `code`, so that the compiler knows the other properties.

import type { ErrorCode } from '../../core/domain/errors.js';
import type { FieldProblems } from './field-problems.js';

export type { ErrorCode as ServiceErrorCode };

/**
 * The client's own codes.
 *
 * - `CONNECTION_FAILED`, `TIMED_OUT`: no response. A change may have been made.
 * - `ABORTED`: the caller's signal ended the call; `cause` is the signal's reason.
 * - `NO_TOKEN`: the token function failed (`cause`) or returned no text. Nothing was sent.
 * - `INVALID_CALL`: an address, an id, a token or a body that can't be sent. Nothing was sent.
 * - `UNEXPECTED_ANSWER`: the response is not the service's.
 * - `RATE_LIMITED`: a proxy in front of the service asks for fewer requests.
 */
export type ClientErrorCode =
  | 'CONNECTION_FAILED'
  | 'TIMED_OUT'
  | 'ABORTED'
  | 'NO_TOKEN'
  | 'INVALID_CALL'
  | 'UNEXPECTED_ANSWER'
  | 'RATE_LIMITED';

export type ApiErrorCode = ErrorCode | ClientErrorCode;

interface ErrorBase<Code extends ApiErrorCode, RequestId = string, Status = number> extends Error {
  readonly name: 'ApiError';
  /** Branch on this. A later release of the service may have codes that this type doesn't know. */
  readonly code: Code;
  readonly status: Status;
  /** Identifies the request in the service's log. */
  readonly requestId: RequestId;
  /** Milliseconds to wait before retrying, if the response says so and the browser exposes it. */
  readonly retryAfterMs: number | undefined;
  /** For logs: `JSON.stringify(error)` includes every property except the cause. */
  toJSON(): ApiErrorJson;
}

/** The service responded with an error. */
export type RefusedError = ErrorBase<Exclude<ErrorCode, 'VALIDATION_FAILED'>>;

/** The record would break the rules of its collection. */
export interface ValidationError extends ErrorBase<'VALIDATION_FAILED'> {
  /** Empty if the record as a whole is at fault, such as one that is too large. */
  readonly fields: FieldProblems;
}

type Foreign = 'UNEXPECTED_ANSWER' | 'RATE_LIMITED';

/** The response came from an intermediary, such as a proxy or a captive portal. */
export type ForeignAnswerError = ErrorBase<Foreign, string | undefined>;

/** There was no response. */
export type UnansweredError = ErrorBase<Exclude<ClientErrorCode, Foreign>, undefined, undefined>;

/** Branch on `code`. The message is for developers. */
export type ApiError = RefusedError | ValidationError | ForeignAnswerError | UnansweredError;

export interface ApiErrorFacts {
  /** Undefined if there was no response, like `requestId`. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Set for `VALIDATION_FAILED`. */
  readonly fields?: FieldProblems | undefined;
  readonly cause?: unknown;
}

export interface ApiErrorJson extends Omit<ApiErrorFacts, 'cause'> {
  readonly name: 'ApiError';
  readonly code: ApiErrorCode;
  readonly message: string;
}

/** The same symbol in every copy of this file that a program loads. */
const BRAND = Symbol.for('service-management-api.ApiError');

/**
 * `error instanceof ApiError` narrows to the union. Also true for errors of another copy of the client.
 * The class has no name of its own: logs show the constant's.
 */
export const ApiError = class extends Error {
  override readonly name = 'ApiError';

  constructor(code: ApiErrorCode, message: string, facts: ApiErrorFacts = {}) {
    super(message);
    const { status, requestId, retryAfterMs, fields, cause: value } = facts;
    Object.assign(this, { code, status, requestId, retryAfterMs, fields });
    // Not through `super`: engines before 2022 ignore it.
    if (value !== undefined) {
      Object.defineProperty(this, 'cause', { value, configurable: true, writable: true });
    }
  }

  get [BRAND](): true {
    return true;
  }

  /** An app and its tests may load the client from two packages; errors of either copy match. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (value as { [BRAND]?: true } | null | undefined)?.[BRAND] === true;
  }

  toJSON(): ApiErrorJson {
    return { ...(this as unknown as ApiErrorJson), message: this.message };
  }
} as unknown as {
  new (code: ApiErrorCode, message: string, facts?: ApiErrorFacts): ApiError;
  readonly prototype: ApiError;
};
