// oidc-provider, from npm, in this process: opaque access tokens of two applications.

import { setTimeout as delay } from 'node:timers/promises';
import { type OpenidProvider, openOpenidProvider } from '../../support/openid-provider.js';
import { clientOf, ENDED, type OpenProvider, type Step, type Use } from './real-provider.js';

const SHORT_LIFESPAN_SECONDS = 2;
/** By default a token is good for so long past its end. */
const CLOCK_TOLERANCE_SECONDS = 15;

export const openNodeOidcProvider: OpenProvider = async () => {
  const provider = await openOpenidProvider({
    'shop-app': undefined,
    'other-app': undefined,
    'short-app': SHORT_LIFESPAN_SECONDS,
  });
  return {
    name: 'oidc-provider 9.13.3',
    settings: { AUTH_ISSUER: provider.metadata['issuer'] ?? '' },
    gate: undefined,
    expected: { open: { ...ENDED, 'other client': 200 } },
    token: (step, use) => tokenFor(step, use, provider),
    down: provider.down,
    up: provider.up,
  };
};

async function tokenFor(step: Step, use: Use, provider: OpenidProvider) {
  const client = clientOf(step);
  const user = `asha-${step.replaceAll(' ', '-')}`;
  const scope = step === 'no scope' ? 'profile' : 'openid';
  const { access_token, id_token } = await provider.tokens(user, scope, client);
  if (step === 'ID token') return id_token;
  if (step === 'expired')
    await delay((SHORT_LIFESPAN_SECONDS + CLOCK_TOLERANCE_SECONDS + 1) * 1000);
  if (step === 'revoked') {
    await use(access_token);
    await provider.revoke(access_token, client);
  }
  if (step === 'user disabled' || step === 'user deleted') {
    await use(access_token);
    // What an application's own account store says: neither disabled nor deleted ones are there.
    provider.gone.add(user);
  }
  return access_token;
}
