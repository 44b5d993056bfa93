// The port to the external identity provider.

import type { MaybePromise } from '../maybe-promise.js';

export interface IdentityProvider {
  /**
   * Never rejects; every outcome is a value. `from`: the client's address, if the host knows it, because
   * waiting checks take turns by address.
   */
  identify(token: string, from?: () => string | undefined): MaybePromise<Identity>;
}

/**
 * - `identified`: the token is valid; `subject` is the account's stable identifier.
 * - `invalid`: the token is refused.
 * - `unavailable`: the provider is unreachable, or its response unusable; `reason` is for the client.
 *   `retryAfterSeconds` is the pause that the provider asks for.
 */
export type Identity =
  | { readonly status: 'identified'; readonly subject: string }
  | { readonly status: 'invalid' }
  | {
      readonly status: 'unavailable';
      readonly reason?: string;
      readonly retryAfterSeconds?: number;
    };

export const INVALID: Identity = { status: 'invalid' };

/** Used if no provider is configured: every token is `unavailable`. */
export const noIdentityProvider: IdentityProvider = {
  identify: () => ({
    status: 'unavailable',
    reason:
      'no identity provider is configured; the operator must set AUTH_USERINFO_URL or AUTH_ISSUER',
  }),
};
