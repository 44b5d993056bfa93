// Contract, "Limits": how much of the provider's answer is read.

import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { answer, askOnce } from '../support/userinfo-exchange.js';

const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };

describe('How much of an answer is read', () => {
  const LIMIT_BYTES = 65_536;
  /** User information of exactly that many bytes. */
  const userinfoOf = (bytes: number) => {
    const start = '{"sub":"user-1","about":"';
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
  };
  const inChunks =
    (body: string): Behaviour =>
    (_token, response) => {
      for (let at = 0; at < body.length; at += 1_000) response.write(body.slice(at, at + 1_000));
      response.end();
    };

  it.each<[string, (body: string) => Behaviour]>([
    ['with a Content-Length', (body) => answer(200, body)],
    ['in chunks', inChunks],
  ])('is 64 KiB at most: %s', async (_name, behaviour) => {
    const statusOf = async (bytes: number) =>
      (await askOnce(behaviour(userinfoOf(bytes)))).identity.status;
    expect(await statusOf(LIMIT_BYTES)).toBe('identified');
    expect(await statusOf(LIMIT_BYTES + 1)).toBe('unavailable');
  });

  it.each([
    [200, UNAVAILABLE],
    [403, INVALID],
    [500, UNAVAILABLE],
  ])('is also bounded for an endless answer: %i', async (status, expected) => {
    const chunk = Buffer.alloc(LIMIT_BYTES, ' ');
    let sent = 0;
    const stub = await openIdentityStub((_token, response) => {
      const send = () => {
        do sent += chunk.byteLength;
        while (response.write(chunk));
      };
      response.writeHead(status).on('drain', send).on('close', closed);
      send();
    });
    let closed = () => {};
    const end = new Promise<void>((resolve) => {
      closed = resolve;
    });
    try {
      expect(await userinfoIdentity({ url: stub.url }).identify('a-token')).toEqual(expected);
      // The service closes the connection; only what the sockets' buffers hold was sent.
      await end;
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    } finally {
      await stub.close();
    }
  });
});

it('Checks that are over leave no timer behind', async () => {
  const stub = await openIdentityStub(answer(200, { sub: 'user-1' }));
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  try {
    const before = timers();
    const provider = userinfoIdentity({ url: stub.url });
    await Promise.all(Array.from({ length: 50 }, (_, i) => provider.identify(`token-${i}`)));
    // The HTTP client keeps a few for its connections; 50 checks may not have 50.
    expect(timers() - before).toBeLessThan(25);
  } finally {
    await stub.close();
  }
});
