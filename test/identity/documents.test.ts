// The provider's discovery document: which addresses in it are used.

import { expect, it } from 'vitest';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { signInSettings } from '../support/signing-provider.js';

it.each(['http://id.example/me', 'ftp://id.example/me', 'me'])(
  'The token of an issuer on https is never sent to %s',
  async (userinfo_endpoint) => {
    const issuer = 'https://id.example';
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return Response.json({ issuer, userinfo_endpoint, sub: 'a' });
    };
    const { identity } = openSignIn({ settings: signInSettings({ issuer }), fetch });
    expect(await identity.identify('token')).toEqual({ status: 'unavailable' });
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
  },
);
