// A request that is refused before its body is read leaves its connection
// usable: the next request on it is answered, not reset.

import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import type { RunningHost } from '../support/host.js';
import { HOSTS } from '../support/hosts.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

describe.each(HOSTS.filter(({ name }) => name !== 'handler in process'))('$name', (host) => {
  let folder: TemporaryFolder;
  let identity: IdentityStub;
  let running: RunningHost;
  let origin = '';

  beforeAll(async () => {
    folder = await openTemporaryFolder();
    identity = await openIdentityStub();
    running = await host.start({
      folder: folder.path,
      userinfoUrl: identity.url,
      adminKey: ADMIN_KEY,
      corsAllowedOrigins: [],
      sampleRecords: true,
    });
    origin = new URL((await running.fetch('/api/v1/health')).url).origin;
  });
  afterAll(async () => {
    await running.close();
    await identity.close();
    await folder.remove();
  });

  it.each([
    ['without a token', 'POST', '/api/v1/customers', 1_000],
    ['without a token, with much', 'POST', '/api/v1/customers', 300_000],
    ['with a wrong admin key', 'POST', '/api/v1/admin/accounts/a/customers', 1_000],
    ['of a method that is not possible', 'PUT', '/api/v1/health', 1_000],
    ['to nowhere', 'POST', '/elsewhere', 1_000],
  ])('serves the next request after a request %s', (_, method, path, bytes) =>
    goesOn(method, path, bytes),
  );

  // A process closes the connection, and says so; the runtime would cut it.
  it.runIf(host.name.includes('worker.js'))(
    'serves the next request after a request whose body is too long',
    () => goesOn('POST', '/api/v1/customers', 1_300_000),
  );

  async function goesOn(method: string, path: string, bytes: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const ask = (how: string, to: string, body: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = bytes > 1_048_576 ? { Authorization: `Bearer ${tokenOf('long')}` } : {};
        const sent = request(origin + to, { agent, method: how, headers }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode));
        });
        sent.on('socket', (socket) => sockets.add(socket));
        sent.on('error', reject);
        sent.end(body);
      });
    for (let round = 0; round < 10; round++) {
      expect(await ask(method, path, 'x'.repeat(bytes))).toBeGreaterThanOrEqual(400);
      expect(await ask('GET', '/api/v1/health', '')).toBe(200);
    }
    agent.destroy();
    expect(sockets.size).toBe(1);
  }
});
