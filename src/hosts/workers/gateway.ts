// The Worker in front of the object: forwards every request. If the object is lost, a read is
// retried once; a write never, because its outcome is unknown.

import type { ErrorCode } from '../../core/domain/errors.js';
import { originPolicy } from '../../core/http/cors.js';
import { refusal, toResponse } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import { readSettings } from '../settings.js';
import { environmentOf, log, serviceStub, type WorkerEnvironment } from './environment.js';

const READS = ['GET', 'HEAD', 'OPTIONS'];

export async function forward(request: Request, env: WorkerEnvironment): Promise<Response> {
  const isRead = READS.includes(request.method);
  const send = () => serviceStub(env).fetch(request as never) as unknown as Promise<Response>;
  try {
    return await send().catch((error: { readonly overloaded?: boolean }) => {
      // The platform asks not to retry: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
      if (!isRead || error.overloaded) throw error;
      return send();
    });
  } catch (error) {
    log.error('object_call_failed', error, { method: request.method });
    const [code, message] = isRead
      ? (['STORAGE_UNAVAILABLE', 'the service is restarting; try again'] as const)
      : (['STORAGE_FAILED', 'no response; read before trying again'] as const);
    return errorResponse(request, code, message, admittedOrigin(request, env));
  }
}

function admittedOrigin(request: Request, env: WorkerEnvironment): Record<string, string> {
  try {
    return originPolicy(readSettings(environmentOf(env)).corsAllowedOrigins)(request);
  } catch {
    return {};
  }
}

/** An error of the host, not of the handler. */
export function errorResponse(
  request: Request,
  code: ErrorCode,
  message: string,
  originHeaders: Readonly<Record<string, string>> = {},
): Response {
  const randomBytes = (into: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(into);
  const requestId = requestIds({ clock: Date.now, randomBytes })(request);
  return toResponse(refusal(code, message), { requestId, now: Date.now(), originHeaders });
}
