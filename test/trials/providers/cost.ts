// What sign-in costs with Keycloak: requests a second and processor time a
// request, with the memory of checks off and on, the gate off and on.

import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { startServer } from '../../support/server-process.js';
import type { Finding, Trial } from '../trial.js';
import { openKeycloak } from './keycloak.js';
import { CACHE } from './program.js';

const CONNECTIONS = 16;
const WARM_UP_MS = 3_000;
const ROUND_MS = 8_000;
/** Linux counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

export const cost: Trial = async (options) => {
  await mkdir(CACHE, { recursive: true });
  const keycloak = await openKeycloak(options.folder);
  const findings: Finding[] = [];
  try {
    for (const gate of [undefined, keycloak.gate]) {
      for (const cacheSeconds of ['0', '60']) {
        const name = `memory ${cacheSeconds} s, gate ${gate ? 'on' : 'off'}`;
        options.say(name);
        const server = await startServer({
          DATABASE_URL: `file:${join(options.folder, `${findings.length}.db`)}`,
          ...keycloak.settings,
          ...gate,
          AUTH_CACHE_SECONDS: cacheSeconds,
        });
        try {
          // One for each connection: the same one would be checked once for all.
          const tokens: string[] = [];
          while (tokens.length < CONNECTIONS) {
            tokens.push((await keycloak.signIn('shop-app', 'asha')).access_token);
          }
          await load(server.origin, tokens, WARM_UP_MS);
          const before = processorSeconds(server.child.pid);
          const { requests, failures, seconds } = await load(server.origin, tokens, ROUND_MS);
          const used = processorSeconds(server.child.pid) - before;
          findings.push({
            fault: `Keycloak: ${name}`,
            tried: `${requests} reads over ${CONNECTIONS} connections in ${seconds.toFixed(1)} s`,
            found: `${Math.round(requests / seconds)} a second, ${((used / requests) * 1000).toFixed(2)} ms of processor time each, ${failures} not 200`,
            holds: failures === 0,
          });
        } finally {
          await server.stop();
        }
      }
    }
  } finally {
    await keycloak.down();
  }
  return findings;
};

async function load(origin: string, tokens: readonly string[], ms: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: tokens.length });
  const started = performance.now();
  let requests = 0;
  let failures = 0;
  const url = new URL('/api/v1/customers', origin);
  await Promise.all(
    tokens.map(async (token) => {
      while (performance.now() - started < ms) {
        const status = await get(url, token, agent);
        requests++;
        if (status !== 200) failures++;
      }
    }),
  );
  agent.destroy();
  return { requests, failures, seconds: (performance.now() - started) / 1000 };
}

function get(url: URL, token: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    request(url, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

/** User and system time of a process so far. */
function processorSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
