// Whatever the provider sends: each exchange ends by itself, no error goes uncaught (which would
// fail this run), and no connection stays open.

import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/core/identity/identity-provider.js';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { onLoopback } from '../support/loopback.js';
import { signInSettings } from '../support/sign-in-settings.js';

type Behave = (socket: Socket) => void;
const GOOD = '{"sub":"asha"}';

/** A head with these lines, and what follows it. */
const sends =
  (lines: readonly string[], body: string | Uint8Array = '', status = '200 OK'): Behave =>
  (socket) => {
    socket.write(`HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
    socket.write(body);
  };
const thenEnds =
  (behave: Behave): Behave =>
  (socket) => {
    behave(socket);
    socket.end();
  };
const thenResets =
  (behave: Behave, afterMs = 30): Behave =>
  (socket) => {
    behave(socket);
    setTimeout(() => socket.resetAndDestroy(), afterMs);
  };
const repeats =
  (text: string, everyMs: number): Behave =>
  (socket) => {
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
const all =
  (...behaviours: Behave[]): Behave =>
  (socket) =>
    behaviours.forEach((behave) => void behave(socket));
/** As fast as it is taken. */
const pours =
  (text: string): Behave =>
  (socket) => {
    const send = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', send);
    send();
  };

const SIX = `Content-Encoding: ${Array(6).fill('gzip').join(',')}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const TOO_LONG = 'Content-Length: 99';

const BAD: Readonly<Record<string, Behave>> = {
  'six codings, the body on its way': sends([SIX, CHUNKED], '1\r\nx\r\n'),
  'six codings, then a reset': thenResets(sends([SIX, CHUNKED], '1\r\nx\r\n')),
  'six codings, then the end': thenEnds(sends([SIX, TOO_LONG], 'x')),
  'six codings in six lines': sends([...Array(6).fill('Content-Encoding: gzip'), CHUNKED]),
  'six codings and a redirect': sends([SIX, CHUNKED, 'Location: /'], '1\r\nx\r\n', '302 Found'),
  'six codings and a refusal': sends([SIX, CHUNKED], '1\r\nx\r\n', '401 Unauthorized'),
  'twelve codings without end': all(
    sends([`${SIX},${SIX.slice(18)}`, CHUNKED]),
    repeats('1\r\nx\r\n', 20),
  ),
  'a coding that nobody knows': sends(['Content-Encoding: zstd', TOO_LONG], GOOD),
  'gzip, which was not asked for': sends(
    ['Content-Encoding: gzip', `Content-Length: ${gzipSync(GOOD).length}`],
    gzipSync(GOOD),
  ),
  'a body that is cut': thenEnds(sends([TOO_LONG], GOOD)),
  'a body that trickles': all(sends([CHUNKED]), repeats('1\r\n \r\n', 50)),
  'a head that trickles': all(
    (socket) => socket.write('HTTP/1.1 200 OK\r\n'),
    repeats('A: b\r\n', 50),
  ),
  'a status line that trickles': repeats('H', 100),
  'a body without end': all(sends([CHUNKED]), pours(`4000\r\n${' '.repeat(0x4000)}\r\n`)),
  'headers without end': all(
    (socket) => socket.write('HTTP/1.1 200 OK\r\n'),
    pours(`A: ${'b'.repeat(999)}\r\n`),
  ),
  'a length that is negative': sends(['Content-Length: -1'], GOOD),
  'a length that is no number': sends(['Content-Length: x'], GOOD),
  'two lengths': sends(['Content-Length: 14', 'Content-Length: 15'], GOOD),
  'a length and chunks': sends(['Content-Length: 14', CHUNKED], GOOD),
  'a chunk that is none': sends([CHUNKED], 'ZZ\r\n'),
  'a chunk that is too large': sends([CHUNKED], 'fffffffffffffffff\r\n'),
  'trailers without end': all(sends([CHUNKED], '0\r\n'), pours(`A: ${'b'.repeat(999)}\r\n`)),
  'a flood of 1xx': pours('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'a slow flood of 1xx': repeats('HTTP/1.1 102 Processing\r\n\r\n', 50),
  '1xx, then the end': thenEnds((socket) => socket.write('HTTP/1.1 103 Early\r\n\r\n'.repeat(50))),
  '100 without end': pours('HTTP/1.1 100 Continue\r\n\r\n'),
  'an upgrade': sends(['Connection: Upgrade', 'Upgrade: websocket'], 'x', '101 Switching'),
  'status 999': sends(['Content-Length: 0'], '', '999 X'),
  'status 000': sends(['Content-Length: 0'], '', '000 X'),
  'status 204 with a body': sends(['Content-Length: 14'], GOOD, '204 No Content'),
  'status 304 with six codings': sends([SIX], GOOD, '304 Not Modified'),
  'what is no HTTP': (socket) => socket.write('SSH-2.0-OpenSSH\r\n'),
  'a zero byte in a header': sends(['A: \0', 'Content-Length: 14'], GOOD),
  'the end at once': (socket) => socket.end(),
  'a reset at once': (socket) => socket.resetAndDestroy(),
  silence: () => {},
};

/** An answer that would be good, in each shape. */
const WHOLE: Readonly<Record<string, Behave>> = {
  plain: sends(['Content-Length: 14'], GOOD),
  chunked: sends([CHUNKED], `e\r\n${GOOD}\r\n0\r\n\r\n`),
  'until the end': thenEnds(sends([], GOOD)),
  'after 103': all(
    (socket) => socket.write('HTTP/1.1 103 Early\r\n\r\n'),
    sends(['Content-Length: 14'], GOOD),
  ),
  'two answers to one question': all(
    sends(['Content-Length: 14'], GOOD),
    sends([SIX, CHUNKED], '1\r\nx\r\n'),
  ),
};

interface Provider extends AsyncDisposable {
  readonly origin: string;
  readonly sockets: ReadonlySet<Socket>;
}

/** A provider that behaves at the path `/NUMBER` and below as the behaviour of that number. */
async function openProvider(behaviours: readonly Behave[]): Promise<Provider> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.on('data', (data) => {
      const number = /^GET \/(\d+)/.exec(data.toString('latin1'))?.[1];
      behaviours[Number(number)]?.(socket);
    });
  });
  const { origin, close } = await onLoopback(server);
  const closed = () => {
    for (const socket of sockets) socket.destroy();
    return close();
  };
  return { origin, sockets, [Symbol.asyncDispose]: closed };
}

const userInformation = (base: string) => ({ userinfoUrl: `${base}/me` });
const PLACES: Readonly<Record<string, (base: string) => Partial<SignInSettings>>> = {
  'user information': userInformation,
  'the discovery document': (base) => ({ issuer: base }),
  'the keys': (base) => ({ ...userInformation(base), jwksUrl: base, audiences: ['shop'] }),
};

async function checkEach(
  { origin }: Provider,
  behaviours: readonly Behave[],
  settingsAt: (base: string) => Partial<SignInSettings>,
): Promise<Identity[]> {
  const checks = behaviours.map(async (_, number) => {
    const settings = signInSettings(settingsAt(`${origin}/${number}`));
    return openSignIn({ settings }).identity.identify('a-token');
  });
  return Promise.all(checks);
}

describe('An answer of the provider', () => {
  it.each(Object.entries(PLACES))('that is of no use leaves nothing: %s', async (_, settingsAt) => {
    const behaviours = Object.values(BAD);
    await using provider = await openProvider(behaviours);
    const outcomes = await checkEach(provider, behaviours, settingsAt);
    const statusOf = Object.keys(BAD).map((name, i) => [name, outcomes[i]?.status]);
    expect(statusOf).toEqual(Object.keys(BAD).map((name) => [name, 'unavailable']));
    await expect.poll(() => provider.sockets.size, { timeout: 20_000 }).toBe(0);
  });

  it('that is good is taken, in each of its shapes', async () => {
    const behaviours = Object.values(WHOLE);
    await using provider = await openProvider(behaviours);
    const outcomes = await checkEach(provider, behaviours, userInformation);
    expect(outcomes).toEqual(behaviours.map(() => ({ status: 'identified', subject: 'asha' })));
  });

  it.each(['FIN', 'RST'])('may be cut after each byte, by %s', async (how) => {
    const whole = `HTTP/1.1 200 OK\r\n${SIX.slice(0, 22)}\r\n${CHUNKED}\r\n\r\ne\r\n${GOOD}\r\n0\r\n\r\n`;
    const behaviours = Array.from(
      whole,
      (_, bytes): Behave =>
        (socket) => {
          socket.write(whole.slice(0, bytes), () =>
            how === 'FIN' ? socket.end() : socket.resetAndDestroy(),
          );
        },
    );
    await using provider = await openProvider(behaviours);
    const outcomes = await checkEach(provider, behaviours, userInformation);
    expect(outcomes).toEqual(behaviours.map(() => ({ status: 'unavailable' })));
    await expect.poll(() => provider.sockets.size, { timeout: 20_000 }).toBe(0);
  });
});
