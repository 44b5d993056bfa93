// Errors of the host itself, in the envelope: the handler never saw the request.

import type { ErrorCode } from '../../core/domain/errors.js';
import { failure, toResponse } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';

interface Details {
  /** Default: no origin is admitted. */
  readonly originHeaders?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
}

export function errorResponse(
  request: Request,
  code: ErrorCode,
  message: string,
  { originHeaders = {}, ...details }: Details = {},
): Response {
  const randomBytes = (into: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(into);
  const requestId = requestIds({ clock: Date.now, randomBytes })(request);
  const answer = failure({ code, message, ...details });
  return toResponse(answer, { requestId, now: Date.now(), originHeaders });
}
