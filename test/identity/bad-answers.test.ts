// Whatever the provider sends: each exchange ends by itself, no error goes uncaught (which would
// fail this run), and no connection stays open.

import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/core/identity/identity-provider.js';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { onLoopback } from '../support/loopback.js';
import { signInSettings } from '../support/sign-in-settings.js';

/** What the provider does with a connection, step by step: texts are sent. */
type Steps = readonly (string | Uint8Array | ((socket: Socket) => void))[];

const GOOD = '{"sub":"asha"}';
const head = (lines: readonly string[], status = '200 OK') =>
  `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const END = (socket: Socket) => socket.end();
const RESET = (socket: Socket) => socket.resetAndDestroy();
const RESET_LATER = (socket: Socket) => setTimeout(() => RESET(socket), 30);
const repeats = (text: string, everyMs: number) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
};
/** As fast as it is taken. */
const pours = (text: string) => (socket: Socket) => {
  const send = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', send);
  send();
};

const SIX = `Content-Encoding: ${Array(6).fill('gzip').join(',')}`;
const TWELVE = `${SIX},${SIX.slice(18)}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const CHUNK = '1\r\nx\r\n';
const TOO_LONG = 'Content-Length: 99';
const RIGHT = 'Content-Length: 14';
const ZIPPED = gzipSync(GOOD);
const LINE = `A: ${'b'.repeat(999)}\r\n`;
const BLANKS = `4000\r\n${' '.repeat(0x4000)}\r\n`;

const BAD: Readonly<Record<string, Steps>> = {
  'six codings, the body on its way': [head([SIX, CHUNKED]), CHUNK],
  'six codings, then a reset': [head([SIX, CHUNKED]), CHUNK, RESET_LATER],
  'six codings, then the end': [head([SIX, TOO_LONG]), 'x', END],
  'six codings in six lines': [head([...Array(6).fill('Content-Encoding: gzip'), CHUNKED])],
  'six codings and a redirect': [head([SIX, CHUNKED, 'Location: /'], '302 Found'), CHUNK],
  'six codings and a refusal': [head([SIX, CHUNKED], '401 Unauthorized'), CHUNK],
  'twelve codings without end': [head([TWELVE, CHUNKED]), repeats(CHUNK, 20)],
  'a coding that nobody knows': [head(['Content-Encoding: zstd', TOO_LONG]), GOOD],
  'gzip, which was not asked for': [
    head(['Content-Encoding: gzip', `Content-Length: ${ZIPPED.length}`]),
    ZIPPED,
  ],
  'a body that is cut': [head([TOO_LONG]), GOOD, END],
  'a body that trickles': [head([CHUNKED]), repeats('1\r\n \r\n', 50)],
  'a head that trickles': ['HTTP/1.1 200 OK\r\n', repeats('A: b\r\n', 50)],
  'a status line that trickles': [repeats('H', 100)],
  'a body without end': [head([CHUNKED]), pours(BLANKS)],
  'a failure without end': [head([CHUNKED], '500 X'), pours(BLANKS)],
  'headers without end': ['HTTP/1.1 200 OK\r\n', pours(LINE)],
  'a length that is negative': [head(['Content-Length: -1']), GOOD],
  'a length that is no number': [head(['Content-Length: x']), GOOD],
  'two lengths': [head([RIGHT, 'Content-Length: 15']), GOOD],
  'a length and chunks': [head([RIGHT, CHUNKED]), GOOD],
  'a chunk that is none': [head([CHUNKED]), 'ZZ\r\n'],
  'a chunk that is too large': [head([CHUNKED]), 'fffffffffffffffff\r\n'],
  'trailers without end': [head([CHUNKED]), '0\r\n', pours(LINE)],
  'a flood of 1xx': [pours('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')],
  'a slow flood of 1xx': [repeats('HTTP/1.1 102 Processing\r\n\r\n', 50)],
  '1xx, then the end': ['HTTP/1.1 103 Early\r\n\r\n'.repeat(50), END],
  '100 without end': [pours('HTTP/1.1 100 Continue\r\n\r\n')],
  'an upgrade': [head(['Connection: Upgrade', 'Upgrade: websocket'], '101 Switching'), 'x'],
  'status 999': [head(['Content-Length: 0'], '999 X')],
  'status 000': [head(['Content-Length: 0'], '000 X')],
  'status 204 with a body': [head([RIGHT], '204 No Content'), GOOD],
  'status 304 with six codings': [head([SIX], '304 Not Modified'), GOOD],
  'what is no HTTP': ['SSH-2.0-OpenSSH\r\n'],
  'a zero byte in a header': [head(['A: \0', RIGHT]), GOOD],
  'the end at once': [END],
  'a reset at once': [RESET],
  silence: [],
};

/** An answer that would be good, in each shape. */
const WHOLE: Readonly<Record<string, Steps>> = {
  plain: [head([RIGHT]), GOOD],
  chunked: [head([CHUNKED]), `e\r\n${GOOD}\r\n0\r\n\r\n`],
  'until the end': [head([]), GOOD, END],
  'after 103': ['HTTP/1.1 103 Early\r\n\r\n', head([RIGHT]), GOOD],
  'two answers to one question': [head([RIGHT]), GOOD, head([SIX, CHUNKED]), CHUNK],
};

interface Provider extends AsyncDisposable {
  readonly origin: string;
  readonly sockets: ReadonlySet<Socket>;
}

/** A provider that takes the steps of a number at the path `/NUMBER` and below. */
async function openProvider(behaviours: readonly Steps[]): Promise<Provider> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.on('data', (data) => {
      const number = /^GET \/(\d+)/.exec(data.toString('latin1'))?.[1];
      for (const step of behaviours[Number(number)] ?? []) {
        if (typeof step === 'function') step(socket);
        else socket.write(step);
      }
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
  behaviours: readonly Steps[],
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

  it.each([
    ['FIN', END],
    ['RST', RESET],
  ])('may be cut after each byte, by %s', async (_, cut) => {
    const whole = `${head([SIX.slice(0, 22), CHUNKED])}e\r\n${GOOD}\r\n0\r\n\r\n`;
    const behaviours = Array.from(
      whole,
      (_, bytes): Steps => [
        (socket) => void socket.write(whole.slice(0, bytes), () => cut(socket)),
      ],
    );
    await using provider = await openProvider(behaviours);
    const outcomes = await checkEach(provider, behaviours, userInformation);
    expect(outcomes).toEqual(behaviours.map(() => ({ status: 'unavailable' })));
    await expect.poll(() => provider.sockets.size, { timeout: 20_000 }).toBe(0);
  });
});
