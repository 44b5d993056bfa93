// Whatever the provider sends, each exchange ends by itself, no error is uncaught (which would fail
// this run), and no connection stays open.

import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openSignIn, type SignInSettings } from '../../src/core/identity/sign-in.js';
import { listenLocally } from '../support/listen.js';

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
/** As fast as the client reads. */
const pours = (text: string) => (socket: Socket) => {
  const send = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', send);
  send();
};

const SIX = `Content-Encoding: ${Array(6).fill('gzip').join(',')}`;
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
  'six codings and a refusal': [head([SIX, CHUNKED], '401 Unauthorized'), CHUNK],
  'an unknown coding': [head(['Content-Encoding: zstd', TOO_LONG]), GOOD],
  'gzip, which was not asked for': [
    head(['Content-Encoding: gzip', `Content-Length: ${ZIPPED.length}`]),
    ZIPPED,
  ],
  'a body that is cut': [head([TOO_LONG]), GOOD, END],
  'a body that trickles': [head([CHUNKED]), repeats('1\r\n \r\n', 50)],
  'a head that trickles': ['HTTP/1.1 200 OK\r\n', repeats('A: b\r\n', 50)],
  'a body without end': [head([CHUNKED]), pours(BLANKS)],
  'headers without end': ['HTTP/1.1 200 OK\r\n', pours(LINE)],
  'a length that is negative': [head(['Content-Length: -1']), GOOD],
  'a chunk that is none': [head([CHUNKED]), 'ZZ\r\n'],
  'trailers without end': [head([CHUNKED]), '0\r\n', pours(LINE)],
  'a flood of 1xx': [pours('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')],
  '100 without end': [pours('HTTP/1.1 100 Continue\r\n\r\n')],
  'an upgrade': [head(['Connection: Upgrade', 'Upgrade: websocket'], '101 Switching'), 'x'],
  'status 999': [head(['Content-Length: 0'], '999 X')],
  'status 204 with a body': [head([RIGHT], '204 No Content'), GOOD],
  'what is no HTTP': ['SSH-2.0-OpenSSH\r\n'],
  'the end at once': [END],
  'a reset at once': [RESET],
  silence: [],
};

/** A valid response, in each shape. */
const WHOLE: readonly Steps[] = [
  [head([RIGHT]), GOOD],
  [head([CHUNKED]), `e\r\n${GOOD}\r\n0\r\n\r\n`],
  [head([]), GOOD, END],
  ['HTTP/1.1 103 Early\r\n\r\n', head([RIGHT]), GOOD],
  // Two responses to one request.
  [head([RIGHT]), GOOD, head([SIX, CHUNKED]), CHUNK],
];

const userInformation = (base: string) => ({ userinfoUrl: `${base}/me` });
type SettingsAt = (base: string) => SignInSettings;
const ENDPOINTS: readonly [string, SettingsAt][] = [
  ['user information', userInformation],
  ['the discovery document', (issuer) => ({ issuer })],
  ['the keys', (base) => ({ ...userInformation(base), jwksUrl: base, audiences: ['shop'] })],
];

/** Checks a token at a provider that runs the steps of a number at the path `/NUMBER` and below. */
async function outcomesOf(behaviours: readonly Steps[], settingsAt: SettingsAt = userInformation) {
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
  const { origin, close } = await listenLocally(server);
  try {
    const checks = behaviours.map(async (_, number) => {
      const settings = settingsAt(`${origin}/${number}`);
      return openSignIn({ settings }).identity.identify('a-token');
    });
    const outcomes = await Promise.all(checks);
    const isBad = outcomes.every(({ status }) => status === 'unavailable');
    if (isBad) await expect.poll(() => sockets.size, { timeout: 20_000 }).toBe(0);
    return outcomes;
  } finally {
    for (const socket of sockets) socket.destroy();
    await close();
  }
}

describe('A response from the provider', () => {
  it.each(ENDPOINTS)('that is unusable leaves nothing open: %s', async (_, settingsAt) => {
    const outcomes = await outcomesOf(Object.values(BAD), settingsAt);
    const statusOf = Object.keys(BAD).map((name, i) => [name, outcomes[i]?.status]);
    expect(statusOf).toEqual(Object.keys(BAD).map((name) => [name, 'unavailable']));
  });

  it('that is valid is accepted, in each shape', async () => {
    const outcomes = await outcomesOf(WHOLE);
    expect(outcomes).toEqual(WHOLE.map(() => ({ status: 'identified', subject: 'asha' })));
  });
});
