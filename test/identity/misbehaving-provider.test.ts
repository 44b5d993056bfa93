// A provider that misbehaves in many ways at the same time: each token gets the outcome of its
// own exchange, and no line of the log has a token. The outcomes one by one: userinfo.test.ts.

import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { Identity } from '../../src/core/identity/identity-provider.js';
import { UNKNOWN_CHECKS_MAX } from '../../src/core/identity/limited-checks.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { keptLog } from '../support/kept-log.js';
import { signInSettings } from '../support/sign-in-settings.js';
import { answer } from '../support/userinfo-exchange.js';

/** A part of every token, and of no text of the service. */
const CANARY = 'canarytoken';
const AT_ONCE_OF_EACH = 3;
const SLOW_MS = 1_000;

/** Differs for each token, so that the answer of another exchange shows. */
const subjectOf = (token: string) => `account of ${token.replace(CANARY, '')}`;
const repeating = (status: number): Behaviour => {
  return (token, ...rest) =>
    answer(status, { error: token, error_description: `${token} is bad` })(token, ...rest);
};
const good: Behaviour = (token, ...rest) => answer(200, { sub: subjectOf(token) })(token, ...rest);

const UNDECIDED: Readonly<Record<string, Behaviour>> = {
  'never answers': () => {},
  'sends no body': (_token, response) => response.writeHead(200).flushHeaders(),
  drips: (_token, response) => drip(response, ' '),
  'drips behind a subject': (_token, response) => drip(response, '{"sub":"a"}'),
  resets: (_token, response) => response.socket?.resetAndDestroy(),
  'resets in the middle': (_token, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"sub":"a"', () => response.socket?.resetAndDestroy());
  },
  'speaks no HTTP': (token, response) => response.socket?.end(`SSH-2.0 ${token}\r\n`),
  'redirects elsewhere': (token, ...rest) =>
    answer(302, '', { Location: `https://elsewhere.example/${token}` })(token, ...rest),
  'redirects to itself': answer(307, '', { Location: '/userinfo' }),
  fails: repeating(500),
  'says nothing': answer(204),
  'answers without end': (_token, response) => pour(response),
  'answers brackets alone': answer(200, '['.repeat(60_000)),
  'names a line': answer(200, { sub: 'a\r\nX-Injected: yes' }),
};
const REFUSED: Readonly<Record<string, Behaviour>> = {
  'refuses with 401': repeating(401),
  'refuses with 403': repeating(403),
};
const GOOD: Readonly<Record<string, Behaviour>> = {
  'is good': good,
  'is slow, then good': (...exchange) => void setTimeout(good, SLOW_MS, ...exchange),
  'is good in pieces': (token, response) => {
    const text = JSON.stringify({ sub: subjectOf(token) });
    response.write(text.slice(0, 9), () => response.end(text.slice(9)));
  },
};

function drip(response: ServerResponse, start: string): void {
  response.writeHead(200).write(start);
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

/** Spaces without end, as fast as they are taken. */
function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536, ' ');
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.writeHead(200).on('drain', send);
  send();
}

/** What must become of a token; the way is in its name. */
function wantedFor(way: string, token: string): Identity {
  if (way in GOOD) return { status: 'identified', subject: subjectOf(token) };
  return { status: way in REFUSED ? 'invalid' : 'unavailable' };
}

it('Each token gets the outcome of its own exchange, and the log has no token', async () => {
  const behaviours = { ...UNDECIDED, ...REFUSED, ...GOOD };
  const ways = Object.keys(behaviours);
  const tokens = Array.from({ length: AT_ONCE_OF_EACH }, (_, round) =>
    ways.map((way, number) => ({ way, token: `${CANARY}-${number}-${round}` })),
  ).flat();
  // All of them are under way at once, none waits.
  expect(tokens.length).toBeLessThanOrEqual(UNKNOWN_CHECKS_MAX);
  const stub = await openIdentityStub((token, ...rest) => {
    const [, number = ''] = token.split('-');
    behaviours[ways[Number(number)] ?? '']?.(token, ...rest);
  });
  const log = keptLog();
  const { identity } = openSignIn({ settings: signInSettings({ userinfoUrl: stub.url }), log });
  try {
    const outcomes = await Promise.all(
      tokens.map(async ({ way, token }) => [way, await identity.identify(token)]),
    );
    expect(outcomes).toEqual(tokens.map(({ way, token }) => [way, wantedFor(way, token)]));
    expect(log.lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(log.lines).toLowerCase()).not.toContain(CANARY);
  } finally {
    await stub.close();
  }
});
