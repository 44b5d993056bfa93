// Contract, "Authentication": a header that is slow to parse, and keys that are nearly right. The
// rest of authentication: test/contract/authentication.test.ts and routing.test.ts.

import { describe, expect, it, vi } from 'vitest';
import { adminKeyCheck, authenticateAccount } from '../../src/core/http/authentication.js';

const KEY = 'k3y-of-the-operator-0123456789-ABC';

function request(headers: Record<string, string>): Request {
  return new Request('http://localhost/api/v1/customers', { headers });
}

it('A very long malformed Authorization header is read in linear time', async () => {
  const identity = { identify: () => ({ status: 'identified', subject: 'someone' }) as const };
  for (const value of [
    `Bearer ${' '.repeat(1_000_000)}`,
    `Bearer ${'a'.repeat(1_000_000)}é`,
    `Bearer ${'='.repeat(1_000_000)}a`,
    `Bearer a${'='.repeat(1_000_000)}a`,
  ]) {
    expect((await authenticateAccount(request({ Authorization: value }), identity)).ok).toBe(false);
  }
});

it.each([42, undefined, ''])(
  'The subject %j of a program’s own provider is rejected with an error',
  (subject) => {
    const identity = { identify: () => ({ status: 'identified', subject }) as never };
    expect(() => authenticateAccount(request({ Authorization: 'Bearer x' }), identity)).toThrow(
      'identify returned a subject that is not a non-empty string',
    );
  },
);

describe('adminKeyCheck', () => {
  const check = (configured: string | undefined, given?: string) =>
    adminKeyCheck(configured)(request(given === undefined ? {} : { 'X-Service-Admin-Key': given }));

  it.each([32, 1000])('accepts a key of %i characters', (length) => {
    const key = KEY.repeat(30).slice(0, length);
    expect(check(key, key)).toMatchObject({ ok: true });
  });

  it.each([
    undefined,
    KEY.slice(0, -1),
    `${KEY}0`,
    `${KEY}, ${KEY}`,
    `${KEY[1]}${KEY[0]}${KEY.slice(2)}`,
    KEY.toLowerCase(),
    // Equal in the low byte.
    KEY.replace('k', '\u00eb'),
  ])('refuses %s', (given) => {
    expect(check(KEY, given)).toMatchObject({ failure: { code: 'UNAUTHORIZED' } });
  });

  /** How many characters of the key a comparison with `given` reads. */
  function charactersRead(given: string): number {
    const check = adminKeyCheck(KEY);
    const asked = request({ 'X-Service-Admin-Key': given });
    const charCodeAt = vi.spyOn(String.prototype, 'charCodeAt');
    check(asked);
    const count = charCodeAt.mock.contexts.filter((text) => `${text}` === KEY).length;
    charCodeAt.mockRestore();
    return count;
  }

  it('compares the whole key, however similar the given one is', () => {
    const [nearMiss, wildGuess] = [`${KEY.slice(0, -1)}c`, 'x'.repeat(KEY.length)];
    for (const given of [KEY, nearMiss, wildGuess, '', 'x', KEY + KEY]) {
      expect(charactersRead(given)).toBeGreaterThanOrEqual(KEY.length);
    }
    expect(charactersRead(nearMiss)).toBe(charactersRead(wildGuess));
  });
});
