// The service behind real identity providers, without the gate and with it. Another two are
// tested at every change: oidc-provider and better-auth, which npm has.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { CACHE } from './program.js';
import { openKeycloak } from './providers/keycloak.js';
import { openPocketbase } from './providers/pocketbase.js';
import { type OpenProvider, type RealProvider, STEPS } from './providers/real-provider.js';

const PROVIDERS: readonly (readonly [string, OpenProvider])[] = [
  ['Keycloak', openKeycloak],
  ['PocketBase', openPocketbase],
];
/** A refused token is remembered for 2 s; its next check must reach the provider. */
const REFUSAL_MS = 2_100;
/** New keys after a restart are looked for at most once in 30 s. */
const BACK_TRIES = 20;

describe.each(PROVIDERS)('%s', (_, open) => {
  let folder: TemporaryFolder;
  let provider: RealProvider;
  /** The second one has the gate, if the provider's tokens can pass one. */
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    await mkdir(CACHE, { recursive: true });
    folder = await openTemporaryFolder();
    provider = await open(folder.path);
    for (const gate of [{}, provider.gate]) {
      if (gate === undefined) continue;
      const DATABASE_URL = `file:${join(folder.path, `${servers.length}.db`)}`;
      servers.push(await startServer({ DATABASE_URL, ...provider.settings, ...gate }));
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await provider?.down();
    await folder.remove();
  });

  const statuses = async (token: string) => {
    const found = [];
    for (const server of servers) found.push(await statusOf(server, token));
    return found;
  };
  const goodToken = async () => (await provider.token('good', async () => {})) ?? '';

  it('is asked once at the start', async () => {
    for (const server of servers) await server.saw('"event":"identity_provider_asked"');
  });

  it.each(STEPS)('%s', async (step) => {
    const use = async (token: string) => void (await statuses(token));
    const token = step === 'made up' ? 'made-up' : await provider.token(step, use);
    if (token === undefined) return;
    const { open: without, gated } = provider.expected;
    const expected = [without[step], gated?.[step]].slice(0, servers.length);
    expect(await statuses(token)).toEqual(expected);
  });

  it('gives 503 while it is down, and signs in again when it is back', async () => {
    const token = await goodToken();
    await provider.down();
    expect(await statuses(token)).toEqual(servers.map(() => 503));
    await provider.up();
    for (const server of servers) {
      let found = 0;
      for (let tries = 0; tries < BACK_TRIES && found !== 200; tries++) {
        if (tries > 0) await delay(REFUSAL_MS);
        found = await statusOf(server, await goodToken());
      }
      expect(found).toBe(200);
    }
  });

  it('has no token in the log', () => {
    for (const server of servers) expect(server.output()).not.toMatch(/eyJ[\w-]{20}/);
  });
});

async function statusOf(server: ServerProcess, token: string): Promise<number> {
  const response = await fetch(`${server.origin}/api/v1/customers`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}
