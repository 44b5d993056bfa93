// The identity provider of the year: the token of an account is its name. It can be away.

import { MADE_UP_TOKEN } from '../../../src/core/identity/probe.js';
import { openIdentityProvider } from '../service/identity-provider.js';

export interface Provider {
  readonly url: string;
  isAway: boolean;
  close(): Promise<void>;
}

export async function openProvider(): Promise<Provider> {
  const provider: Provider = {
    ...(await openIdentityProvider((token, response) => {
      if (provider.isAway) {
        response.destroy();
        return;
      }
      const isGood = token !== MADE_UP_TOKEN;
      response.writeHead(isGood ? 200 : 401, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isGood ? { sub: token } : { error: 'invalid_token' }));
    })),
    isAway: false,
  };
  return provider;
}
