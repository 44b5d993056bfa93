// A service for the trials of data: on a port that stays, so that it can be
// killed and come back; and what one account of it holds.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createOperatorClient } from 'service-management-api/operator-client';
import { type ServerProcess, startServer } from '../../support/server-process.js';

export const TRIAL_KEY = 'operator-of-the-trials-0123456789-abcdef';

export async function openTrialService(folder: string) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const start = () =>
    startServer({
      PORT: String(port),
      DATABASE_URL: `file:${join(folder, 'service.db')}`,
      ADMIN_API_KEY: TRIAL_KEY,
    });
  let server: ServerProcess = await start();
  return {
    baseUrl,
    file: join(folder, 'service.db'),
    environment: { SERVICE_URL: baseUrl, ADMIN_API_KEY: TRIAL_KEY },
    client: createOperatorClient({ baseUrl, adminKey: TRIAL_KEY }),
    pid: () => server.child.pid ?? 0,
    async killAndStart() {
      server.child.kill('SIGKILL');
      await server.exited;
      server = await start();
    },
    async stop() {
      await server.stop();
    },
    async start() {
      server = await start();
    },
  };
}

export type TrialService = Awaited<ReturnType<typeof openTrialService>>;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
