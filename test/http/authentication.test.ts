// Contract, "Authentication": the two gates as units. The account's gate with
// every answer of the provider, the operator's with keys that are nearly right.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { adminGate, admitAccount } from '../../src/core/http/authentication.js';
import type { Identity, IdentityProvider } from '../../src/core/identity/identity-provider.js';

const KEY = 'k3y-of-the-operator-0123456789-ABC';

function request(headers: Record<string, string>): Request {
  return new Request('http://localhost/api/v1/customers', { headers });
}

/** A refusal, whose message names the next step. */
const refusal = (code: string, message: RegExp, more = {}) => ({
  ok: false,
  failure: { code, message: expect.stringMatching(message), ...more },
});

/** A provider that gives one answer and writes down the tokens. */
function provider(answer: Identity): IdentityProvider & { readonly tokens: string[] } {
  const tokens: string[] = [];
  return {
    tokens,
    async identify(token) {
      tokens.push(token);
      return answer;
    },
  };
}

describe('admitAccount', () => {
  it.each([
    [
      { status: 'identified', subject: 'auth0|1' },
      { ok: true, value: 'auth0|1' },
    ],
    [{ status: 'invalid' }, refusal('UNAUTHORIZED', /get a new one/)],
    [{ status: 'unavailable' }, refusal('AUTH_UNAVAILABLE', /try again later/)],
    [
      { status: 'unavailable', reason: 'wait 7 s', retryAfterSeconds: 7 },
      refusal('AUTH_UNAVAILABLE', /^wait 7 s$/, { retryAfterSeconds: 7 }),
    ],
  ] as const)('%o is %o', async (answer, outcome) => {
    const identity = provider(answer);
    const result = await admitAccount(request({ Authorization: 'bearer abc.DEF-1' }), identity);
    expect(result).toMatchObject(outcome);
    expect(identity.tokens).toEqual(['abc.DEF-1']);
  });

  it('reads a very long malformed header in linear time', async () => {
    const identity = provider({ status: 'identified', subject: 'someone' });
    for (const value of [
      `Bearer ${' '.repeat(1_000_000)}`,
      `Bearer ${'a'.repeat(1_000_000)}é`,
      `Bearer ${'='.repeat(1_000_000)}a`,
      `Bearer a${'='.repeat(1_000_000)}a`,
    ]) {
      expect((await admitAccount(request({ Authorization: value }), identity)).ok).toBe(false);
    }
  });
});

describe('adminGate', () => {
  const admit = (configured: string | undefined, given?: string) =>
    adminGate(configured)(request(given === undefined ? {} : { 'X-Service-Admin-Key': given }));

  it.each([32, 1000])('a key of %i characters opens the gate', (length) => {
    const key = KEY.repeat(30).slice(0, length);
    expect(admit(key, key)).toMatchObject({ ok: true });
  });

  it.each([
    undefined,
    KEY.slice(0, -1),
    `${KEY}0`,
    `${KEY}, ${KEY}`,
    `${KEY[1]}${KEY[0]}${KEY.slice(2)}`,
    KEY.toLowerCase(),
    // It agrees in the low byte.
    KEY.replace('k', '\u00eb'),
  ])('refuses %s', (given) => {
    expect(admit(KEY, given)).toMatchObject(refusal('UNAUTHORIZED', /"X-Service-Admin-Key"/));
  });

  describe('comparing', () => {
    afterEach(() => vi.restoreAllMocks());

    /** How many characters a comparison with `given` looks at. */
    function charactersRead(given: string): number {
      const gate = adminGate(KEY);
      const asked = request({ 'X-Service-Admin-Key': given });
      const charCodeAt = vi.spyOn(String.prototype, 'charCodeAt');
      gate(asked);
      const count = charCodeAt.mock.contexts.filter((text) => `${text}` === KEY).length;
      charCodeAt.mockRestore();
      return count;
    }

    it('compares the whole key, for a similar key as for another one', () => {
      const [nearMiss, wildGuess] = [`${KEY.slice(0, -1)}c`, 'x'.repeat(KEY.length)];
      for (const given of [KEY, nearMiss, wildGuess, '', 'x', KEY + KEY]) {
        expect(charactersRead(given)).toBeGreaterThanOrEqual(KEY.length);
      }
      expect(charactersRead(nearMiss)).toBe(charactersRead(wildGuess));
    });
  });
});
