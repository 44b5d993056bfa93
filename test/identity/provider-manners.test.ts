// How the service behaves towards a provider that has too much to do, or that
// closes connections: it waits as it is told, and tries again once at most.

import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/userinfo.js';
import { freshFetch } from '../../src/hosts/node/fresh-fetch.js';
import { type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { onLoopback } from '../support/loopback.js';
import { answer } from '../support/userinfo-exchange.js';

const START = Date.UTC(2026, 0, 1);
const IDENTIFIED = { status: 'identified', subject: 'user-1' };

async function asking(
  behaviour: Behaviour,
  ask: (
    identify: (token?: string) => Promise<unknown>,
    clock: { now: number },
    asked: readonly string[],
  ) => Promise<void>,
): Promise<void> {
  const stub = await openIdentityStub(behaviour);
  const clock = { now: START };
  const provider = userinfoIdentity({ url: stub.url, clock: () => clock.now });
  try {
    await ask(async (token = 'a') => provider.identify(token), clock, stub.asked);
  } finally {
    await stub.close();
  }
}

function heldBack(seconds: number) {
  return {
    status: 'unavailable',
    reason: `the identity provider asks for a pause; try again in ${seconds} s`,
    retryAfterSeconds: seconds,
  };
}

describe('A provider that says Retry-After', () => {
  it.each([
    [429, '7', 7],
    [503, '7', 7],
    [429, '3600', 60],
    [429, new Date(START + 9_000).toUTCString(), 9],
    [503, new Date(START + 86_400_000).toUTCString(), 60],
  ])('is not called during that time: %i with %s', async (status, header, seconds) => {
    let isBusy = true;
    const behaviour: Behaviour = (token, response, request) =>
      isBusy
        ? answer(status, '', { 'Retry-After': header })(token, response, request)
        : answer(200, { sub: 'user-1' })(token, response, request);
    await asking(behaviour, async (identify, clock, asked) => {
      expect(await identify('a')).toEqual(heldBack(seconds));
      isBusy = false;
      clock.now += seconds * 1000 - 1;
      expect(await identify('b')).toEqual(heldBack(1));
      expect(asked).toEqual(['a']);
      clock.now += 1;
      expect(await identify('b')).toEqual(IDENTIFIED);
    });
  });

  it.each([
    [429, ''],
    [429, '0'],
    [429, '-5'],
    [429, 'soon'],
    [503, new Date(START - 1_000).toUTCString()],
    [500, '7'],
    [404, '7'],
  ])('is asked again when the value is unusable: %i with %j', async (status, header) => {
    const headers = header === '' ? {} : { 'Retry-After': header };
    await asking(answer(status, '', headers), async (identify, _clock, asked) => {
      expect(await identify()).toEqual({ status: 'unavailable' });
      await identify();
      expect(asked).toHaveLength(2);
    });
  });

  it('is asked again after the clock was set back', async () => {
    await asking(answer(429, '', { 'Retry-After': '60' }), async (identify, clock, asked) => {
      await identify();
      clock.now -= 3_600_000;
      await identify();
      expect(asked).toHaveLength(2);
    });
  });
});

describe('A kept connection that the provider closes as a request arrives', () => {
  /** Answers the first request of each connection and closes the connection at the next. */
  async function openDropper(isAlwaysDropping: () => boolean) {
    const seen: string[] = [];
    const used = new WeakSet<object>();
    const server = createServer((request, response) => {
      const isUsed = used.has(request.socket);
      seen.push(isUsed ? 'used' : 'fresh');
      used.add(request.socket);
      if (isUsed || isAlwaysDropping()) request.socket.destroy();
      else response.end('{"sub":"user-1"}');
    });
    return { seen, ...(await onLoopback(server)) };
  }

  it('is replaced by a fresh one, and the caller gets a normal answer', async () => {
    const dropper = await openDropper(() => false);
    try {
      const provider = userinfoIdentity({ url: dropper.origin, freshFetch });
      for (let i = 0; i < 20; i++) expect(await provider.identify(`${i}`)).toEqual(IDENTIFIED);
      expect(dropper.seen).toContain('used');
    } finally {
      await dropper.close();
    }
  });

  it('is replaced once, not again and again', async () => {
    let isDropping = false;
    const dropper = await openDropper(() => isDropping);
    try {
      const provider = userinfoIdentity({ url: dropper.origin, freshFetch });
      await provider.identify('a');
      isDropping = true;
      const before = dropper.seen.length;
      expect(await provider.identify('b')).toEqual({ status: 'unavailable' });
      expect(dropper.seen.length - before).toBe(2);
    } finally {
      await dropper.close();
    }
  });
});
