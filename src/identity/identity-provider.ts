// Who is asking? The port to the external identity provider.

import type { Eventually } from '../eventually.js';

export interface IdentityProvider {
  /** Never rejects: what the provider makes of a token is a value. */
  identify(token: string): Eventually<Identity>;
}

/**
 * - `identified`: the token is good; `subject` is the account's stable identifier.
 * - `invalid`: the provider refuses the token.
 * - `unavailable`: the provider cannot be asked, or its answer cannot be used;
 *   `reason` is for the caller, where waiting does not help.
 */
export type Identity =
  | { readonly status: 'identified'; readonly subject: string }
  | { readonly status: 'invalid' }
  | { readonly status: 'unavailable'; readonly reason?: string };

export const INVALID: Identity = { status: 'invalid' };
export const UNAVAILABLE: Identity = { status: 'unavailable' };

/** Where no provider is configured: never open, every token is answered `unavailable`. */
export const noIdentityProvider: IdentityProvider = {
  identify: () => ({
    status: 'unavailable',
    reason: 'no identity provider is configured; the operator must set AUTH_USERINFO_URL',
  }),
};
