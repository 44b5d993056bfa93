// Clients that keep to the protocol but are as slow as they can be: when the server ends
// them, and whether other clients are affected.

import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from '../../../scripts/bench/processes.js';
import { megabytes, seconds } from '../figures.js';
import { asAccount } from '../service/identity-provider.js';
import type { Service } from '../service/probed-service.js';
import type { Finding } from '../trial.js';
import { watchOthers } from './bystander.js';
import type { RawConnection } from './raw-connection.js';
import { answersIn, flawOf, openRaw, requestText } from './raw-connection.js';

const CUSTOMERS = '/api/v1/customers';
const HEALTH = '/api/v1/health';
const MEMORY_MAX_BYTES = 400_000_000;
const TOLERANCE_MS = 1_000;
const OTHERS_MAX_MS = 1_000;
/** Pause between two openings. Without it the last large answers begin a second late, and so do their time-outs. */
const OPENING_EVERY_MS = 5;

/** Stores records that make an answer far larger than the buffers between two processes. */
export async function fill({ origin }: Service) {
  const body = JSON.stringify({ name: 'a', phone: '1', note: 'x'.repeat(900_000) });
  for (let i = 0; i < 12; i++) {
    await (
      await fetch(origin + CUSTOMERS, { method: 'POST', headers: asAccount('reader'), body })
    ).arrayBuffer();
  }
}

export interface SlowClient {
  fault: string;
  /** Sent at once. */
  start: string;
  /** Sent again and again; empty sends nothing. */
  more: string;
  /** Milliseconds between two sends; 1000 by default. */
  everyMs?: number;
  reads: boolean;
  /** The time-out after which the server must end the connection. */
  limitMs: number;
  /** Status of the last answer; undefined when none is expected. */
  status: number | undefined;
}

export function slowClients(quick: boolean): SlowClient[] {
  const post = (framing: Record<string, string>) =>
    requestText('POST', CUSTOMERS, { ...asAccount('slow'), ...framing });
  const all = [
    {
      fault: 'headers that trickle in',
      start: `GET ${HEALTH} HTTP/1.1\r\nX-Slow: `,
      more: 'a',
      reads: true,
      limitMs: 5_000,
      status: 408,
    },
    {
      fault: 'connections that say nothing',
      start: '',
      more: '',
      reads: true,
      limitMs: 5_000,
      status: 408,
    },
    {
      fault: 'bodies that trickle in',
      start: `${post({ 'Content-Length': '1000' })}{`,
      more: ' ',
      reads: true,
      limitMs: 15_000,
      status: 408,
    },
    {
      fault: 'chunks that trickle in',
      start: `${post({ 'Transfer-Encoding': 'chunked' })}1\r\n{\r\n`,
      more: '1\r\n \r\n',
      reads: true,
      limitMs: 15_000,
      status: 408,
    },
    {
      fault: 'readers that never read',
      start: requestText('GET', `${CUSTOMERS}?page_size=100`, asAccount('reader')),
      // A client that does not read notices the end only when it sends. The server ignores an empty line.
      more: '\r\n',
      everyMs: 100,
      reads: false,
      limitMs: 15_000,
      status: undefined,
    },
    {
      fault: 'connections left idle after an answer',
      start: requestText('GET', HEALTH),
      more: '',
      reads: true,
      limitMs: 60_000,
      status: 200,
    },
  ];
  return quick ? all.filter(({ limitMs }) => limitMs < 60_000) : all;
}

export async function slowFinding(
  service: Service,
  slow: SlowClient,
  count: number,
): Promise<Finding> {
  const others = watchOthers(service);
  const connections: RawConnection[] = [];
  const trickle = setInterval(() => {
    if (slow.more !== '') for (const { send } of connections) send(slow.more);
  }, slow.everyMs ?? 1_000);
  for (let i = 0; i < count; i++) {
    const connection = openRaw(service.origin, slow.start);
    if (!slow.reads) connection.socket.pause();
    connections.push(connection);
    await delay(OPENING_EVERY_MS);
  }
  const ends = await Promise.all(connections.map(({ over }) => over));
  clearInterval(trickle);
  const { requests, slowestMs, failures, peakBytes } = await others.end();
  const answers = connections.map(({ received }) => (slow.reads ? answersIn(received()) : []));
  const flaws = answers
    .flat()
    .map(flawOf)
    .filter((flaw) => flaw !== '');
  const unanswered =
    slow.status === undefined
      ? 0
      : answers.filter((all) => all.at(-1)?.status !== slow.status).length;
  const [soonest, latest] = [Math.min(...ends), Math.max(...ends)];
  return {
    fault: slow.fault,
    tried: `${count} connections`,
    found: `ended after ${seconds(soonest)} to ${seconds(latest)}, ${unanswered} without their answer ${flaws[0] ?? ''}; ${requests} requests of others meanwhile, ${failures} failed, ${slowestMs.toFixed(0)} ms at most; ${megabytes(peakBytes)} of memory`,
    holds:
      soonest > slow.limitMs - TOLERANCE_MS &&
      latest < slow.limitMs + TOLERANCE_MS &&
      unanswered === 0 &&
      flaws.length === 0 &&
      failures === 0 &&
      slowestMs < OTHERS_MAX_MS &&
      peakBytes < MEMORY_MAX_BYTES,
  };
}

/** The same attacks by a well-known tool. */
export const ATTACKS = [
  { what: 'slowhttptest: slow headers', flags: ['-H', '-i', '1'] },
  { what: 'slowhttptest: slow bodies', flags: ['-B', '-i', '1'] },
  {
    what: 'slowhttptest: slow readers',
    flags: ['-X', '-n', '1', '-w', '1', '-y', '10', '-z', '1', '-k', '1'],
  },
];

export async function toolFinding(
  service: Service,
  { what, flags }: { what: string; flags: string[] },
): Promise<Finding> {
  const hasTool = spawnSync('slowhttptest', ['-h'], { stdio: 'ignore' }).error === undefined;
  if (!hasTool)
    return {
      fault: what,
      tried: 'not tried',
      found: 'slowhttptest is not installed here',
      holds: undefined,
    };
  const others = watchOthers(service);
  const command = [
    '-u',
    service.origin + HEALTH,
    '-c',
    '400',
    '-r',
    '200',
    '-l',
    '20',
    '-p',
    '3',
    ...flags,
  ];
  const tool = startProcess('slowhttptest', command);
  await tool.ended().catch(() => '');
  const { requests, slowestMs, failures, peakBytes } = await others.end();
  return {
    fault: what,
    tried: '400 connections for 20 s',
    found: `${requests} requests of others meanwhile, ${failures} failed, ${slowestMs.toFixed(0)} ms at most; ${megabytes(peakBytes)} of memory`,
    holds: failures === 0 && slowestMs < OTHERS_MAX_MS && peakBytes < MEMORY_MAX_BYTES,
  };
}
