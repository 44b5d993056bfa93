// The trial `provider`: identity providers that misbehave in many ways. Checks the answers
// to callers, their time, the log, and that other clients are not affected.

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { megabytes, seconds } from './figures.js';
import { watchOthers } from './load/bystander.js';
import type { Behaviour } from './service/identity-provider.js';
import { byToken, openIdentityProvider } from './service/identity-provider.js';
import type { Service } from './service/probed-service.js';
import { startService } from './service/probed-service.js';
import type { Finding, Trial } from './trial.js';

const CUSTOMERS = '/api/v1/customers';
/** The contract's 4 s plus the time of an answer, and the longest wait of other clients. */
const IN_TIME = { answerMs: 4_200, othersMs: 500 };
const HEAP_GROWTH_MAX_BYTES = 8_000_000;
const CANARY = 'canarytoken';

export interface Misbehaviour {
  what: string;
  /** The status that the caller must get. */
  status: number;
  behave: Behaviour;
}

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (_token, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const refuses = (status: number): Misbehaviour => ({
  what: `status ${status}`,
  status: [400, 401, 403].includes(status) ? 401 : 503,
  behave: (token, response) =>
    says(status, { error: token, error_description: token })(token, response),
});

const subject = (what: string, sub: unknown, status = 503): Misbehaviour => ({
  what: `a subject that is ${what}`,
  status,
  behave: says(200, { sub }),
});

export const MISBEHAVIOURS: readonly Misbehaviour[] = [
  { what: 'never answers', status: 503, behave: () => {} },
  {
    what: 'sends headers and no body',
    status: 503,
    behave: (_token, response) => response.writeHead(200).flushHeaders(),
  },
  {
    what: 'drips a byte now and then',
    status: 503,
    behave: (_token, response) => drip(response, ' '),
  },
  {
    what: 'drips a good answer that never ends',
    status: 503,
    behave: (_token, response) => drip(response, '{"sub":"a"}'),
  },
  {
    what: 'resets the connection',
    status: 503,
    behave: (_token, response) => response.socket?.resetAndDestroy(),
  },
  {
    what: 'resets in the middle of its answer',
    status: 503,
    behave: (_token, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"sub":"a"', () => response.socket?.resetAndDestroy());
    },
  },
  {
    what: 'speaks no HTTP',
    status: 503,
    behave: (token, response) => response.socket?.end(`SSH-2.0 ${token}\r\n`),
  },
  {
    what: 'redirects elsewhere',
    status: 503,
    behave: (token, response) =>
      says(302, '', { Location: `https://elsewhere.example/${token}` })(token, response),
  },
  { what: 'redirects to itself', status: 503, behave: says(307, '', { Location: '/userinfo' }) },
  ...[400, 401, 403, 404, 418, 429, 500, 502, 503].map(refuses),
  { what: 'says 204', status: 503, behave: says(204, '') },
  {
    what: 'answers HTML',
    status: 503,
    behave: says(200, '<!doctype html><title>Log in</title>', { 'Content-Type': 'text/html' }),
  },
  {
    what: 'answers a signed token',
    status: 503,
    behave: says(200, 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.', {
      'Content-Type': 'application/jwt',
    }),
  },
  { what: 'answers without end', status: 503, behave: (_token, response) => pour(response) },
  {
    what: 'answers 64 KiB and a byte',
    status: 503,
    behave: says(200, `{"sub":"a","x":"${'x'.repeat(65_537 - 18)}"}`),
  },
  {
    what: 'answers bad UTF-8',
    status: 503,
    behave: (_token, response) => response.end(Buffer.from('{"sub":"\xff"}', 'latin1')),
  },
  { what: 'answers brackets alone', status: 503, behave: says(200, '['.repeat(60_000)) },
  { what: 'answers no subject', status: 503, behave: says(200, { email: 'a@b.example' }) },
  subject('empty', ''),
  subject('null', null),
  subject('an object', { id: 'a' }),
  subject('a list', ['a']),
  subject('a fraction', 1.5),
  subject('beyond the safe integers', 2 ** 60),
  subject('a line', 'a\r\nX-Injected: yes'),
  subject('cut by NUL', 'a\0b'),
  subject('half a surrogate pair', '\ud83d'),
  subject('a name of the language', '__proto__', 200),
  subject('a path', '../../admin', 200),
  subject('in Chinese', '林', 200),
  subject('a number', 42, 200),
  {
    what: 'is slow, then good',
    status: 200,
    behave: (token, response) =>
      void setTimeout(() => says(200, { sub: 'late' })(token, response), 3_000),
  },
];

export const provider: Trial = async ({ quick, folder, say }) => {
  const { service, close } = await startWith(folder);
  try {
    say(`${MISBEHAVIOURS.length} misbehaviours at once`);
    return await misbehaviourFindings(service, quick ? 5 : 10, quick ? 1 : 12);
  } finally {
    await close();
  }
};

/** Starts a service whose provider misbehaves as the token asks. */
export async function startWith(folder: string) {
  const identity = await openIdentityProvider((token, response) => {
    const number = /^canarytoken-(\d+)-/.exec(token)?.[1];
    const { behave } = (number !== undefined && MISBEHAVIOURS[Number(number)]) || {
      behave: byToken,
    };
    behave(token, response);
  });
  const service = await startService({
    DATABASE_URL: `file:${join(folder, 'service.db')}`,
    AUTH_USERINFO_URL: identity.url,
  });
  return {
    service,
    async close() {
      await service.stop();
      await identity.close();
    },
  };
}

/** Asks for every misbehaviour `count` times at once, all at the same time, in `rounds` rounds. */
export async function misbehaviourFindings(
  service: Service,
  count: number,
  rounds: number,
  inTime = IN_TIME,
): Promise<Finding[]> {
  await ask(service, 5, 0);
  let before = await service.heapBytes();
  const others = watchOthers(service);
  const wrong: string[] = [];
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    const asked = MISBEHAVIOURS.flatMap(({ what, status }, number) =>
      Array.from({ length: count }, async (_, i) => {
        const answer = await ask(service, number, round * count + i);
        slowestMs = Math.max(slowestMs, answer.afterMs);
        if (answer.status !== status) wrong.push(`${what}: ${answer.status}, not ${status}`);
        if (answer.afterMs > inTime.answerMs)
          wrong.push(`${what}: after ${seconds(answer.afterMs)}`);
        if (answer.text.includes(CANARY)) wrong.push(`${what}: the answer holds the token`);
      }),
    );
    await Promise.all(asked);
    // The connections of the first round stay open, with their memory.
    if (round === 0 && rounds > 1) before = await service.heapBytes();
  }
  const noticed = await others.end();
  const growth = (await service.heapBytes()) - before;
  const log = service.output();
  const lines = log.split('\n').filter((line) => line.includes('identity_provider'));
  const total = MISBEHAVIOURS.length * count * rounds;
  return [
    {
      fault: `an identity provider that misbehaves in ${MISBEHAVIOURS.length} ways`,
      tried: `${total} requests, ${MISBEHAVIOURS.length * count} at a time`,
      found: `${wrong.length} wrong ${wrong.slice(0, 3).join('; ')}; answered after ${seconds(slowestMs)} at most; ${megabytes(Math.max(growth, 0))} of memory more than before`,
      holds: wrong.length === 0 && growth < HEAP_GROWTH_MAX_BYTES,
    },
    {
      fault: 'the log of a misbehaving provider',
      tried: `${lines.length} lines`,
      found: log.toLowerCase().includes(CANARY) ? 'a token is in it' : 'no token is in it',
      holds: lines.length > 0 && !log.toLowerCase().includes(CANARY),
    },
    {
      fault: 'other accounts meanwhile',
      tried: `${noticed.requests} requests`,
      found: `${noticed.failures} failed, ${noticed.slowestMs.toFixed(0)} ms at most`,
      holds: noticed.failures === 0 && noticed.slowestMs < inTime.othersMs,
    },
  ];
}

async function ask({ origin }: Service, number: number, serial: number) {
  const start = performance.now();
  const headers = { Authorization: `Bearer ${CANARY}-${number}-${serial}` };
  const response = await fetch(origin + CUSTOMERS, { headers });
  const text = await response.text();
  return { status: response.status, text, afterMs: performance.now() - start };
}

function drip(response: ServerResponse, start: string) {
  response.writeHead(200);
  response.write(start);
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

/** Sends spaces without end, as fast as the reader takes them. */
function pour(response: ServerResponse) {
  const piece = Buffer.alloc(65_536, ' ');
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.writeHead(200).on('drain', send);
  send();
}
