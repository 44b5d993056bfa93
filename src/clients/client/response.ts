// Parses a response into the service's data, or throws an ApiError.

import { retryAfterMs } from '../../core/retry-after.js';
import { ApiError, type ApiErrorCode } from './api-error.js';
import { fieldProblems } from './field-problems.js';

/** A successful response. `pagination`: of a list. */
export type ServiceResponse = ReturnType<typeof parseResponse>;

/** Throws an `ApiError` unless the service reports success. `body`: the request's body, before serialization. */
export function parseResponse(response: Response, text: string, body: unknown) {
  const { status, headers } = response;
  const envelope = envelopeOf(text);
  const requestId = headers.get('x-request-id') ?? envelope.meta?.request_id;
  // A browser's clock may be hours off, so dates are compared with the response's own.
  const sentAt = Date.parse(headers.get('date') ?? '');
  const facts = { status, requestId, retryAfterMs: retryAfterMs(headers, sentAt) };
  const { error, meta } = envelope;
  // The service has no rate limit, so this is from a proxy, with any body.
  if (status === 429) {
    const message = error?.message ?? 'too many requests; wait before the next one';
    throw new ApiError('RATE_LIMITED', message, facts);
  }
  if (requestId !== undefined && response.ok && 'data' in envelope && meta) {
    return { status, requestId, data: envelope.data, pagination: meta.pagination };
  }
  if (requestId !== undefined && !response.ok && typeof error?.code === 'string') {
    const { code, message = '' } = error;
    const fields = code === 'VALIDATION_FAILED' ? fieldProblems(message, body) : undefined;
    throw new ApiError(code, message, { ...facts, fields });
  }
  throw new ApiError(
    'UNEXPECTED_ANSWER',
    `status ${status} is not from the service; check baseUrl and any proxy in front of it`,
    facts,
  );
}

interface Envelope {
  data?: unknown;
  error?: { code?: ApiErrorCode; message?: string };
  meta?: { request_id?: string; pagination?: unknown };
}

function envelopeOf(text: string): Envelope {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
