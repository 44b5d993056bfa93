// The preview's tokens: `local-NAME` is the account of that name, and nothing else
// is a token.

import { expect, it } from 'vitest';
import { localIdentity } from '../../src/core/identity/local-tokens.js';

it.each(['local-preview', 'local-a', 'local-A.b_c~d-9'])(
  'The token %s opens the account of this name',
  (token) => {
    expect(localIdentity().identify(token)).toEqual({ status: 'identified', subject: token });
  },
);

it.each([
  '',
  'local-',
  'preview',
  'xlocal-preview',
  'local-a/b',
  'local-a b',
  'local-é',
  'LOCAL-a',
])('The text %j is no token of the preview', (token) => {
  expect(localIdentity().identify(token)).toEqual({ status: 'invalid' });
});
