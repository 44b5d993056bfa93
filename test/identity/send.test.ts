// How a question is sent on Node: over kept connections, once more if the provider closed one, and
// what a failing network is called.

import http, { createServer } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { networkCode } from '../../src/core/identity/send.js';
import { userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { onLoopback } from '../support/loopback.js';

const IDENTIFIED = { status: 'identified', subject: 'user-1' };

describe('A kept connection', () => {
  /** Answers the first request of each connection; at the next one closes the connection, or answers it, too. */
  async function openProvider(isDropping: (isUsed: boolean) => boolean) {
    const seen: string[] = [];
    const used = new WeakSet<object>();
    const server = createServer((request, response) => {
      const isUsed = used.has(request.socket);
      seen.push(isUsed ? 'used' : 'fresh');
      used.add(request.socket);
      if (isDropping(isUsed)) request.socket.destroy();
      else response.end('{"sub":"user-1"}');
    });
    const { origin, close } = await onLoopback(server);
    const identity = userinfoIdentity({ url: origin });
    const ask = (token: string) => identity.identify(token);
    return { seen, ask, [Symbol.asyncDispose]: close };
  }

  it.each<[string, (isUsed: boolean) => boolean]>([
    ['is used again', () => false],
    ['that the provider closes as a request arrives is replaced by a fresh one', (used) => used],
  ])('%s', async (_name, isDropping) => {
    await using provider = await openProvider(isDropping);
    for (let i = 0; i < 20; i++) expect(await provider.ask(`${i}`)).toEqual(IDENTIFIED);
    expect(provider.seen).toContain('used');
    if (!isDropping(true)) expect(provider.seen.indexOf('fresh', 1)).toBe(-1);
  });

  it('is replaced by a fresh one once, not again and again', async () => {
    let isDropping = false;
    await using provider = await openProvider(() => isDropping);
    await provider.ask('a');
    isDropping = true;
    expect(await provider.ask('b')).toEqual({ status: 'unavailable' });
    expect(provider.seen).toEqual(['fresh', 'used', 'fresh']);
  });
});

it('Each address of a provider has a second for its handshake, where Node gives a quarter', async () => {
  const request = vi.spyOn(http, 'request');
  const server = createServer((_request, response) => response.end('{"sub":"user-1"}'));
  const { origin, close } = await onLoopback(server);
  expect(await userinfoIdentity({ url: origin }).identify('a')).toEqual(IDENTIFIED);
  expect(request.mock.calls[0]?.[1]).toMatchObject({ autoSelectFamilyAttemptTimeout: 1_000 });
  await close();
});

it.each([
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new TypeError('fetch failed', { cause: { code: 'EAI_AGAIN' } }), 'EAI_AGAIN'],
  [Object.assign(new RangeError('x'), { code: 'not a code' }), 'RangeError'],
  ['a text', 'network error'],
  [null, 'network error'],
])('The code of the network error %o is %s', (error, code) => {
  expect(networkCode(error)).toBe(code);
});
