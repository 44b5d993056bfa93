// Contract, "Limits" and "Authentication": the 4 seconds of a user-information
// call, how much of an answer is read, and a network that fails.

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/userinfo.js';
import { type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { answer, askOnce } from '../support/userinfo-exchange.js';

const IDENTIFIED = { status: 'identified', subject: 'user-1' };
const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const LIMIT_BYTES = 65_536;

/** User information of exactly that many bytes. */
function userinfoOf(bytes: number): string {
  const start = '{"sub":"user-1","about":"';
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
}

/** Sends without end, as fast as it is taken, until the connection is closed. */
function sendWithoutEnd(response: ServerResponse, onClosed: (bytesSent: number) => void): void {
  const chunk = Buffer.alloc(LIMIT_BYTES, ' ');
  let sent = 0;
  const send = () => {
    do sent += chunk.byteLength;
    while (response.write(chunk));
  };
  response.on('drain', send).on('close', () => onClosed(sent));
  send();
}

describe('How much of an answer is read', () => {
  it.each([
    ['with a Content-Length', (bytes: number) => answer(200, userinfoOf(bytes))],
    ['in chunks', (bytes: number) => inChunks(userinfoOf(bytes))],
    [
      'compressed, counted as it is once decompressed',
      (bytes: number) => answer(200, gzipSync(userinfoOf(bytes)), { 'Content-Encoding': 'gzip' }),
    ],
  ])('is 64 KiB at most: %s', async (_name, behaviour) => {
    expect((await askOnce(behaviour(LIMIT_BYTES))).identity).toEqual(IDENTIFIED);
    expect((await askOnce(behaviour(LIMIT_BYTES + 1))).identity).toEqual(UNAVAILABLE);
  });

  it.each([
    [200, UNAVAILABLE],
    [403, INVALID],
    [500, UNAVAILABLE],
  ])('is also bounded for an endless answer: %i', async (status, expected) => {
    let onClosed: (bytesSent: number) => void = () => {};
    const closed = new Promise<number>((resolve) => {
      onClosed = resolve;
    });
    const stub = await openIdentityStub((_token, response) => {
      response.writeHead(status);
      sendWithoutEnd(response, onClosed);
    });
    try {
      expect(await userinfoIdentity({ url: stub.url }).identify('a-token')).toEqual(expected);
      // The asking side ends the connection; the provider could send only as much as the sockets' buffers hold.
      expect(await closed).toBeLessThan(32 * 1024 * 1024);
    } finally {
      await stub.close();
    }
  });
});

describe('The whole exchange', () => {
  it('ends after 4 seconds, at every point where the provider may stop', async () => {
    const stops: readonly Behaviour[] = [
      () => {},
      (_token, response) => response.writeHead(200).flushHeaders(),
      (_token, response) => response.writeHead(200).write('{"sub":"user-1"'),
      (_token, response) => response.writeHead(401).write('{"error":'),
      (_token, response) => response.writeHead(500).write('x'),
      drip,
    ];
    await Promise.all(
      stops.map(async (behaviour) => {
        const start = performance.now();
        const { identity } = await askOnce(behaviour);
        const elapsedMs = performance.now() - start;
        expect(identity).toEqual(UNAVAILABLE);
        // A status that is enough by itself is not waited for. That no end comes late: provider-documents.test.ts.
        if (behaviour !== stops[4]) expect(elapsedMs).toBeGreaterThan(3_990);
      }),
    );
  });

  it('leaves no timer behind when the provider answers in time', async () => {
    const stub = await openIdentityStub(answer(200, { sub: 'user-1' }));
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
    try {
      const before = timers().length;
      const provider = userinfoIdentity({ url: stub.url });
      await Promise.all(Array.from({ length: 50 }, (_, i) => provider.identify(`token-${i}`)));
      // The HTTP client keeps a few for its connections; 50 checks may not have 50.
      expect(timers().length - before).toBeLessThan(25);
    } finally {
      await stub.close();
    }
  });
});

describe('A network that fails', () => {
  it('leaves the token undecided: no server listens', async () => {
    const stub = await openIdentityStub();
    await stub.close();
    expect(await userinfoIdentity({ url: stub.url }).identify('a-token')).toEqual(UNAVAILABLE);
  });

  it.each<[string, Behaviour]>([
    ['before the headers', (_token, response) => response.destroy()],
    [
      'in the middle of the body',
      (_token, response) => {
        response.writeHead(200, { 'Content-Length': '1000' });
        response.write('{"sub":"user-1"', () => setImmediate(() => response.destroy()));
      },
    ],
    [
      'after the JSON, before the announced end',
      (_token, response) => {
        response.writeHead(200, { 'Content-Length': '1000' });
        response.write('{"sub":"user-1"}', () => setImmediate(() => response.destroy()));
      },
    ],
    [
      'by a reset',
      (_token, response) => {
        response.writeHead(200);
        response.write('{"sub":', () => setImmediate(() => response.socket?.resetAndDestroy()));
      },
    ],
    ['with what is no HTTP', (_token, response) => response.socket?.end('SSH-2.0-OpenSSH\r\n')],
    ['with what is no gzip', answer(200, '{"sub":"user-1"}', { 'Content-Encoding': 'gzip' })],
  ])('leaves the token undecided: the connection ends %s', async (_name, behaviour) => {
    const { identity, questions } = await askOnce(behaviour);
    expect(identity).toEqual(UNAVAILABLE);
    expect(questions).toBe(1);
  });

  it('decides the next token normally', async () => {
    let broken = true;
    const stub = await openIdentityStub((token, response, request) => {
      if (broken) response.destroy();
      else answer(200, { sub: 'user-1' })(token, response, request);
    });
    try {
      const provider = userinfoIdentity({ url: stub.url });
      expect(await provider.identify('a-token')).toEqual(UNAVAILABLE);
      broken = false;
      expect(await provider.identify('a-token')).toEqual(IDENTIFIED);
    } finally {
      await stub.close();
    }
  });
});

function inChunks(body: string): Behaviour {
  return (_token, response) => {
    for (let start = 0; start < body.length; start += 1_000) {
      response.write(body.slice(start, start + 1_000));
    }
    response.end();
  };
}

/** A byte of a JSON text now and then, for ever. */
const drip: Behaviour = (_token, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};
