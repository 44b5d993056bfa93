// Settings of sign-in as they are where nothing is set, with what a test changes.

import type { SignInSettings } from '../../src/core/identity/sign-in.js';

export function signInSettings(changes: Partial<SignInSettings>): SignInSettings {
  return {
    userinfo: 'on',
    userinfoUrl: undefined,
    headers: {},
    method: 'GET',
    subjectField: 'sub',
    issuer: undefined,
    jwksUrl: undefined,
    audiences: [],
    cacheSeconds: 0,
    ...changes,
  };
}
