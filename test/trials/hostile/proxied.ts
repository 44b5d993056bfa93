// What of the attacks passes through a proxy with the file that operators copy: how many
// connections and requests reach the service, and how much memory they take there.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { Metrics } from '../../support/operations.js';
import { isInstalled, PROXIES, startProxy } from '../../support/proxies.js';
import { startAttackers } from '../load/attackers.js';
import { randomFrom } from '../load/random.js';
import { openIdentityProvider } from '../service/identity-provider.js';
import { spawnServer } from '../service/service-process.js';
import type { Finding } from '../trial.js';
import type { Report } from './attacker.js';
import { armed, type HostileClient, inWords } from './clients.js';
import { provider } from './requests.js';
import { ATTACKER, MEMORY_MAX_MEGABYTES, type Phase } from './run.js';

const ATTACK_MS = 6_000;
const LOOK_EVERY_MS = 250;

/** The limits of an address that the files ship with. Caddy has none. */
const SHIPPED: Readonly<Record<string, string>> = { nginx: '20r/s', haproxy: '200' };

const CALM = { reads: 'everything', ends: 'stays', connections: 1 } as const;
const CLIENTS: readonly HostileClient[] = [
  { ...CALM, asks: ['a path without a token'], sends: 'at once', reads: 'nothing' },
  { ...CALM, asks: ['health'], sends: 'at once', connections: 4 },
  { ...CALM, asks: ['one junk token', 'health'], sends: 'at once', reads: 'nothing' },
  { ...CALM, asks: ['junk tokens'], sends: 'each anew', connections: 2_000, everyMs: 2 },
  { ...CALM, asks: ['changes', 'one search'], sends: 'each anew', connections: 2_000, everyMs: 2 },
  { ...CALM, asks: ['large lists'], sends: 'each anew', reads: 'nothing', connections: 100 },
  { ...CALM, asks: ['large creates'], sends: 'in tiny chunks', connections: 4 },
  { ...CALM, asks: ['health'], sends: 'once', connections: 400 },
  { ...CALM, asks: ['health'], sends: 'in drops', connections: 400 },
];

/** Each attack directly, and through each proxy that this machine has. `filled`: a database, which is copied. */
export async function proxiedFindings(
  folder: string,
  filled: string,
  only: string,
  say: (text: string) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const client of CLIENTS) {
    for (const proxy of [undefined, ...PROXIES.filter(isInstalled)]) {
      const fault = `behind ${proxy?.name ?? 'no proxy'}: ${inWords(client)}`;
      if (!fault.includes(only)) continue;
      const own = join(folder, `behind-${findings.length}`);
      mkdirSync(own);
      const finding = await passed(own, filled, fault, client, proxy);
      say(`${fault}: ${finding.found}`);
      findings.push(finding);
    }
  }
  return findings;
}

async function passed(
  folder: string,
  filled: string,
  fault: string,
  client: HostileClient,
  proxy: (typeof PROXIES)[number] | undefined,
): Promise<Finding> {
  const file = join(folder, 'service.db');
  copyFileSync(filled, file);
  const identity = await openIdentityProvider(provider);
  const server = spawnServer({
    environment: {
      DATABASE_URL: `file:${file}`,
      AUTH_USERINFO_URL: identity.url,
      AUTH_CACHE_SECONDS: '300',
      OPS_PORT: '0',
    },
    nodeOptions: ['--max-old-space-size=512'],
  });
  try {
    const { address, operations } = await server.saw('started');
    const service = String(address);
    const running = proxy && (await startProxy(proxy, folder, service, SHIPPED[proxy.name]));
    const attackers = await startAttackers<{ origin: string } & Phase, Report[]>(ATTACKER);
    const origin = running?.origin ?? service;
    const clients = [armed(client, 0, randomFrom(1))];
    let [connections, requests, isOver] = [0, 0, false];
    const watching = (async () => {
      while (!isOver) {
        const metrics = await Metrics.of(String(operations)).catch(() => undefined);
        if (metrics !== undefined) {
          connections = Math.max(connections, metrics.total('service_http_connections'));
          requests = metrics.observations('service_http_request_duration_seconds');
        }
        await delay(LOOK_EVERY_MS);
      }
    })();
    const reports = await attackers.fire({ origin, clients, milliseconds: ATTACK_MS });
    const peakMegabytes = Math.round(memoryOf(server.pid).peak / 1e6);
    isOver = true;
    await watching;
    attackers.end();
    await running?.close();
    const sent = reports.reduce((sum, report) => sum + report.sent, 0);
    return {
      fault,
      tried: `${sent} requests in ${ATTACK_MS / 1_000} s`,
      found: `${server.isRunning() ? '' : 'THE PROCESS ENDED; '}the service had ${connections} connections at most, answered ${requests} requests, ${peakMegabytes} MB`,
      holds: server.isRunning() && peakMegabytes < MEMORY_MAX_MEGABYTES,
    };
  } finally {
    await server.end('SIGKILL');
    await identity.close();
  }
}
