// Checks as those hear of them who measure: asked, joined to another, remembered.

import { expect, it } from 'vitest';
import { UNKNOWN_CHECKS_MAX } from '../../src/core/identity/limited-checks.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { signInSettings } from '../support/sign-in-settings.js';

type Digest = (token: string) => string | Promise<string>;

function open(cacheSeconds = 0, digest: Digest = (token) => token) {
  const told: string[] = [];
  const asked: (() => void)[] = [];
  const { identity, probe } = openSignIn({
    settings: signInSettings({ userinfoUrl: 'https://id.example.com/userinfo', cacheSeconds }),
    fetch: () =>
      new Promise((resolve) => void asked.push(() => resolve(Response.json({ sub: 'neema' })))),
    digest,
    events: {
      identityChecked: (outcome) => void told.push(outcome),
      identityShared: (how) => void told.push(how),
    },
  });
  return { told, asked, identity, probe };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('count an asked check and a joined check apart', async () => {
  const { told, asked, identity } = open();
  const checks = [identity.identify('a'), identity.identify('a')];
  await settled();
  asked[0]?.();
  await Promise.all(checks);
  expect(told).toEqual(['joined', 'identified']);
});

it.each<[string, Digest]>([
  ['is there at once', (token) => token],
  ['comes later', async (token) => token],
])('count a remembered check, where the digest %s', async (_when, digest) => {
  const { told, asked, identity } = open(60, digest);
  const first = identity.identify('a');
  await settled();
  asked[0]?.();
  await first;
  await identity.identify('a');
  expect(told).toEqual(['identified', 'remembered']);
});

it('do not count a check that waits for its place as joined', async () => {
  const { told, asked, identity } = open();
  const tokens = Array.from({ length: UNKNOWN_CHECKS_MAX + 1 }, (_, index) => `token ${index}`);
  const checks = tokens.map((token) => identity.identify(token));
  await settled();
  expect(asked).toHaveLength(UNKNOWN_CHECKS_MAX);
  expect(told).toEqual([]);
  for (const answer of asked) answer();
  await settled();
  asked.at(-1)?.();
  await Promise.all(checks);
  expect(told).toEqual(tokens.map(() => 'identified'));
});

it('do not count the question at the start', async () => {
  const { told, asked, probe } = open();
  const finding = probe();
  await settled();
  asked[0]?.();
  expect((await finding).ok).toBe(false);
  expect(told).toEqual([]);
});
