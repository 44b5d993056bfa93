// `node dist/server.js` with a probe inside, which tells of its event loop and
// its memory.

import { join } from 'node:path';
import { memoryOf } from '../../scripts/bench/processes.js';
import { openIdentityProvider } from './identity.js';
import { spawnServer } from './service-process.js';

/** @import { Probed } from './probe.js' */

const PROBE = new URL('./probe.js', import.meta.url).href;

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** Starts the built server and resolves when it listens; rejects with its output where it does not. */
export async function startService(
  /** @type {Readonly<Record<string, string>> & { DATABASE_URL: string }} */ environment,
  /** @type {string | undefined} */ script = undefined,
) {
  const server = spawnServer({
    environment,
    ...(script !== undefined && { script }),
    nodeOptions: ['--expose-gc', '--import', PROBE],
    hasChannel: true,
  });
  const { child, pid, output } = server;
  const { address } = await server.saw('started');

  /** @returns {Promise<Probed>} */
  const probed = (/** @type {'reset' | 'read' | 'heap'} */ call) =>
    new Promise((resolve, reject) => {
      child.once('message', (message) => resolve(/** @type {Probed} */ (message)));
      child.send({ call }, (error) => {
        if (error !== null) reject(error);
      });
    });

  return {
    origin: String(address),
    /** Everything that it has printed. */
    output,
    get isRunning() {
      return server.isRunning();
    },
    /** Ends it as an operator does; resolves with the exit code. */
    stop: () => server.end('SIGTERM'),
    /** How late its event loop was while `work` went on. */
    async delayDuring(/** @type {() => Promise<unknown>} */ work) {
      await probed('reset');
      await work();
      return probed('read');
    },
    /** Bytes that live after a collection of garbage. */
    heapBytes: async () => (await probed('heap')).heapBytes,
    /** Bytes of resident memory, now and at most so far; NaN where the system does not say. */
    memory: () => memoryOf(pid),
  };
}

/** The built server on a folder, with an identity provider that is fine. */
export async function startOn(/** @type {string} */ folder) {
  const identity = await openIdentityProvider();
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
