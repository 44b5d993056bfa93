// The contract's "Identity provider user-info call time-out", over everything that a check takes.

import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { DocumentError } from './documents.js';
import { networkCode } from './send.js';

/**
 * The work within 4 s; `failed` makes its result from the reason of a failure. At the end the signal
 * closes a connection that is still open.
 */
export function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  failed: (reason: string) => T,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(), IDENTITY_PROVIDER_TIMEOUT_MS);
  return new Promise<T>((resolve, reject) => {
    // Not left to the work: a caller's own `fetch` may ignore the signal.
    signal.addEventListener('abort', () => reject(signal.reason));
    work(signal).then(resolve, reject);
  })
    .catch((error) => {
      if (signal.aborted) return failed(`no answer within ${IDENTITY_PROVIDER_TIMEOUT_MS} ms`);
      return failed(error instanceof DocumentError ? error.message : networkCode(error));
    })
    .finally(() => {
      clearTimeout(timer);
      controller.abort();
    });
}
