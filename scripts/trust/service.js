// `node dist/server.js` as the trials run it: with a probe inside, its output
// kept, and ended whatever happens to the trial.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryOf } from '../bench/processes.js';
import { openIdentityProvider } from './identity.js';

/** @import { Probed } from './probe.js' */

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));
const PROBE = new URL('./probe.js', import.meta.url).href;

export const ADMIN_KEY = 'the-operator-key-of-the-trials-0123456789';

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the built server and resolves when it listens; rejects with its output where it does not. */
export async function startService(
  /** @type {Readonly<Record<string, string>> & { DATABASE_URL: string }} */ environment,
) {
  const child = spawn(process.execPath, ['--expose-gc', '--import', PROBE, SERVER], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ADMIN_API_KEY: ADMIN_KEY, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  let output = '';
  /** @type {() => void} */
  let changed = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
      changed();
    });
  }
  /** @type {Promise<number | null>} */
  const exited = new Promise((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
      changed();
    });
  });
  const listening = /"event":"started","address":"([^"]+)"/;
  while (!listening.test(output)) {
    if (!running.has(child)) throw new Error(`the server did not start: ${output}`);
    await new Promise((resolve) => {
      changed = () => resolve(undefined);
    });
  }

  /** @returns {Promise<Probed>} */
  const probed = (/** @type {'reset' | 'read' | 'heap'} */ call) =>
    new Promise((resolve, reject) => {
      child.once('message', (message) => resolve(/** @type {Probed} */ (message)));
      child.send({ call }, (error) => {
        if (error !== null) reject(error);
      });
    });

  return {
    origin: listening.exec(output)?.[1] ?? '',
    /** Everything that it has printed. */
    output: () => output,
    /** Resolves with the exit code. */
    exited,
    get isRunning() {
      return running.has(child);
    },
    /** Ends it as an operator does; resolves with the exit code. */
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    /** Ends it at once. */
    kill() {
      child.kill('SIGKILL');
      return exited;
    },
    /** How late its event loop was while `work` went on. */
    async delayDuring(/** @type {() => Promise<unknown>} */ work) {
      await probed('reset');
      await work();
      return probed('read');
    },
    /** Bytes that live after a collection of garbage. */
    heapBytes: async () => (await probed('heap')).heapBytes,
    /** Bytes of resident memory, now and at most so far; NaN where the system does not say. */
    memory: () => memoryOf(child.pid ?? 0),
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
