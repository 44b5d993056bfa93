// Made-up tokens for the preview and for tests: `local-NAME` is the account `local-NAME`. A deployed
// service must not contain this file, because it accepts any claimed identity.

import { type IdentityProvider, INVALID } from './identity-provider.js';

const LOCAL_TOKEN = /^local-[A-Za-z0-9._~-]+$/;

/** Accepts any claimed identity. For tests only. */
export function localIdentity(): IdentityProvider {
  return {
    identify: (token) =>
      LOCAL_TOKEN.test(token) ? { status: 'identified', subject: token } : INVALID,
  };
}
