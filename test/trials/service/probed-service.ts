// `node dist/server.js` with a probe inside that measures its memory.

import { join } from 'node:path';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { spawnServer } from './service-process.js';

const PROBE = new URL('./probe.js', import.meta.url).href;

export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts the built server and resolves when it listens; rejects with its output when it ends before. */
export async function startService(
  environment: Readonly<Record<string, string>> & { DATABASE_URL: string },
  script?: string,
) {
  const server = spawnServer({
    environment,
    script,
    nodeOptions: ['--expose-gc', '--import', PROBE],
    hasChannel: true,
  });
  const { child, pid, output } = server;
  const { address } = await server.saw('started');

  return {
    origin: String(address),
    /** Everything that it printed so far. */
    output,
    get isRunning() {
      return server.isRunning();
    },
    /** Sends SIGTERM and resolves with the exit code. */
    stop: () => server.end('SIGTERM'),
    /** Bytes in use after a garbage collection. */
    heapBytes: () =>
      new Promise<number>((resolve, reject) => {
        child.once('message', (bytes) => resolve(bytes as number));
        child.send({}, (error) => {
          if (error !== null) reject(error);
        });
      }),
    /** Resident memory in bytes, now and at most so far; NaN when the system does not tell. */
    memory: () => memoryOf(pid),
  };
}

/** The built server with its database in the folder and an identity provider that works. */
export async function startOn(folder: string) {
  const identity = await openIdentityStub();
  const running = await startService({
    DATABASE_URL: `file:${join(folder, 'service.db')}`,
    AUTH_USERINFO_URL: identity.url,
    AUTH_CACHE_SECONDS: '300',
  });
  return {
    running,
    async close() {
      await running.stop();
      await identity.close();
    },
  };
}
