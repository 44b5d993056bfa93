// One check of a token within the time that a caller may have to wait for it:
// "Identity provider user-info call time-out", the contract says 4 seconds.

import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { DocumentError } from './cached-document.js';
import type { Identity } from './identity-provider.js';
import { networkCode } from './network-code.js';

/** The identity by `check`, in 4 s. `failed` gets the reason of an error, or that the time is over. */
export async function timedCheck(
  check: (signal: AbortSignal) => Promise<Identity>,
  failed: (reason: string) => Identity,
): Promise<Identity> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), IDENTITY_PROVIDER_TIMEOUT_MS);
  try {
    return await check(controller.signal);
  } catch (error) {
    if (controller.signal.aborted)
      return failed(`no answer within ${IDENTITY_PROVIDER_TIMEOUT_MS} ms`);
    return failed(error instanceof DocumentError ? error.message : networkCode(error));
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
