// The Worker in front of the object: it forwards every request. If the object was lost, a read is
// sent once more; a write never, because its outcome is unknown.

import { originPolicy } from '../../core/http/cors.js';
import { readSettings } from '../settings.js';
import { consoleLog } from './console-log.js';
import { environmentOf, serviceStub, type WorkerEnvironment } from './environment.js';
import { errorResponse } from './error-response.js';

const READS = ['GET', 'HEAD', 'OPTIONS'];

export async function forward(request: Request, env: WorkerEnvironment): Promise<Response> {
  const isRead = READS.includes(request.method);
  const send = () => serviceStub(env).fetch(request as never) as unknown as Promise<Response>;
  try {
    if (!isRead) return await send();
    return await send().catch((error) => {
      if (isOverloaded(error)) throw error;
      return send();
    });
  } catch (error) {
    consoleLog().error('object_call_failed', error, { method: request.method });
    return isRead
      ? errorResponse(request, 'STORAGE_UNAVAILABLE', 'the service is restarting; try again', {
          originHeaders: originHeadersFor(request, env),
          retryAfterSeconds: 1,
        })
      : errorResponse(
          request,
          'STORAGE_FAILED',
          'the service gave no answer; read the record before trying again',
          { originHeaders: originHeadersFor(request, env) },
        );
  }
}

/** The platform asks not to send more: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function isOverloaded(error: unknown): boolean {
  return (error as { readonly overloaded?: boolean }).overloaded === true;
}

function originHeadersFor(request: Request, env: WorkerEnvironment) {
  try {
    return originPolicy(readSettings(environmentOf(env)).corsAllowedOrigins)(request);
  } catch {
    return {};
  }
}
