// Tokens that anybody can write: `local-NAME` is the account `local-NAME`. For the
// preview and for tests. It accepts any claimed identity, so a deployed service must not contain it.

import { type IdentityProvider, INVALID } from './identity-provider.js';

const LOCAL_TOKEN = /^local-[A-Za-z0-9._~-]+$/;

/** Accepts any claimed identity. For tests only. */
export function localIdentity(): IdentityProvider {
  return {
    identify: (token) =>
      LOCAL_TOKEN.test(token) ? { status: 'identified', subject: token } : INVALID,
  };
}
