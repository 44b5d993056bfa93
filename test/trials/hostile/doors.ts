// The operator's doors under hostile clients: the console and the operations port. Somebody
// else asks for a page meanwhile, one request after the other.

import { join } from 'node:path';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { startConsoleProcess } from '../../support/console-process.js';
import { megabytes } from '../figures.js';
import { startAttackers } from '../load/attackers.js';
import { watchOthers } from '../load/bystander.js';
import { ADMIN_KEY, spawnServer } from '../service/service-process.js';
import type { Finding } from '../trial.js';
import type { Report } from './attacker.js';
import type { Armed } from './clients.js';
import { ATTACKER, type Phase } from './run.js';

const ATTACK_MS = 8_000;
const MEMORY_MAX_BYTES = 350_000_000;
const OTHERS_P99_MAX_MS = 250;
/** More than a door lets in at once. */
const MANY_CONNECTIONS = 400;

export interface Door {
  readonly name: string;
  readonly origin: string;
  /** A page that costs it something, and needs no sign-in. */
  readonly page: string;
  isRunning(): boolean;
  memory(): { resident: number; peak: number };
}

/** Starts a service with both doors, and tries each attack on each of them. */
export async function doorFindings(
  folder: string,
  only: string,
  say: (text: string) => void,
): Promise<Finding[]> {
  const server = spawnServer({
    environment: { DATABASE_URL: `file:${join(folder, 'doors.db')}`, OPS_PORT: '0' },
  });
  try {
    const { address, operations } = await server.saw('started');
    const console_ = await startConsoleProcess({
      ADMIN_API_KEY: ADMIN_KEY,
      SERVICE_URL: `${address}/api/v1`,
    });
    const pid = console_.child.pid ?? 0;
    const doors: Door[] = [
      {
        name: 'the console',
        origin: console_.origin,
        page: '/sign-in',
        isRunning: () => console_.child.exitCode === null,
        memory: () => memoryOf(pid),
      },
      {
        name: 'the operations port',
        origin: String(operations),
        page: '/metrics',
        isRunning: server.isRunning,
        memory: () => memoryOf(server.pid),
      },
    ];
    try {
      const findings: Finding[] = [];
      for (const door of doors) {
        for (const [what, client] of attacksOn(door)) {
          const fault = `${door.name}: ${what}`;
          if (!fault.includes(only)) continue;
          say(fault);
          findings.push(await attacked(door, fault, client));
        }
      }
      return findings;
    } finally {
      await console_.stop();
    }
  } finally {
    await server.end('SIGTERM');
  }
}

function attacksOn({ page }: Door): [what: string, client: Armed][] {
  const get = { method: 'GET', path: page, headers: {} };
  const form = {
    method: 'POST',
    path: page,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `secret=${'x'.repeat(30_000_000)}`,
  };
  const one: Armed = {
    requests: [get],
    sends: 'at once',
    reads: 'everything',
    ends: 'stays',
    connections: 1,
    first: 0,
    seed: 1,
  };
  const many = { ...one, connections: MANY_CONNECTIONS };
  return [
    ['one connection, at once, which reads nothing', { ...one, reads: 'nothing' }],
    ['four connections, at once, which read', { ...one, connections: 4 }],
    ['bodies of 30 MB', { ...one, requests: [form], connections: 4 }],
    [`${MANY_CONNECTIONS} connections that are idle`, { ...many, sends: 'once' }],
    [`${MANY_CONNECTIONS} connections whose heads come in drops`, { ...many, sends: 'in drops' }],
  ];
}

async function attacked(door: Door, fault: string, client: Armed): Promise<Finding> {
  const attackers = await startAttackers<{ origin: string } & Phase, Report[]>(ATTACKER);
  const others = watchOthers(door, [door.page]);
  const clients = [client];
  const reports = await attackers.fire({
    origin: door.origin,
    clients,
    milliseconds: ATTACK_MS,
  });
  const { requests, failures, p99Ms, slowestMs, peakBytes } = await others.end();
  attackers.end();
  const sent = reports.reduce((sum, report) => sum + report.sent, 0);
  const lives = door.isRunning();
  return {
    fault,
    tried: `${sent} requests of the clients, ${requests} of somebody else`,
    found: `${lives ? '' : 'THE PROCESS ENDED; '}${failures} failed, ${p99Ms.toFixed(0)} ms (p99), ${slowestMs.toFixed(0)} ms at most; ${megabytes(peakBytes)} of memory`,
    holds: lives && failures === 0 && p99Ms < OTHERS_P99_MAX_MS && peakBytes < MEMORY_MAX_BYTES,
  };
}
