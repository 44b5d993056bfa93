// A service for the trials of data: on a port that stays, so that it can be
// killed and come back; and what one account of it holds.

import { join } from 'node:path';
import { createOperatorClient } from 'service-management-api/operator-client';
import { freePort } from '../../../scripts/free-port.js';
import { type ServerProcess, startServer } from '../../support/server-process.js';
import { workerOptions } from '../../support/worker-host.js';
import { startWorkerProcess } from '../../support/worker-process.js';
import { ADMIN_KEY } from '../service/service-process.js';

export async function openTrialService(folder: string) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const start = () =>
    startServer({
      PORT: String(port),
      DATABASE_URL: `file:${join(folder, 'service.db')}`,
      ADMIN_API_KEY: ADMIN_KEY,
    });
  let server: ServerProcess = await start();
  return {
    baseUrl,
    file: join(folder, 'service.db'),
    environment: { SERVICE_URL: baseUrl, ADMIN_API_KEY: ADMIN_KEY },
    client: createOperatorClient({ baseUrl, adminKey: ADMIN_KEY }),
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

/** The part of a service that a killed import needs: the same on Workers. */
export type KilledService = Pick<TrialService, 'environment' | 'client' | 'killAndStart' | 'stop'>;

/** The built Worker on the platform's own runtime, in processes of its own. */
export async function openTrialWorkers(folder: string): Promise<KilledService> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const options = await workerOptions(folder, { ADMIN_API_KEY: ADMIN_KEY });
  const start = () => startWorkerProcess({ ...options, host: '127.0.0.1', port });
  let worker = await start();
  return {
    environment: { SERVICE_URL: baseUrl, ADMIN_API_KEY: ADMIN_KEY },
    client: createOperatorClient({ baseUrl, adminKey: ADMIN_KEY }),
    async killAndStart() {
      await worker.kill();
      worker = await start();
    },
    stop: () => worker.kill(),
  };
}
