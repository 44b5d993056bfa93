// Generates load with `wrk`.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from './processes.js';

const SCRIPT = fileURLToPath(new URL('./load-wrk.lua', import.meta.url));

/**
 * @typedef {object} LoadRequest
 * @property {'GET' | 'POST' | 'PATCH'} method
 * @property {string} path
 * @property {string} [token]
 * @property {string} [body]
 */

/**
 * What one round of load measured; latencies in milliseconds.
 * @typedef {{ requests: number, perSecond: number, p50: number, p99: number, p999: number }} Load
 */

/**
 * @typedef {object} LoadOptions
 * @property {string} origin
 * @property {readonly LoadRequest[]} requests Sent in this order, over and over.
 * @property {number} connections
 * @property {number} seconds
 */

/** Whether the program is installed: Debian and Homebrew have it as `wrk`. */
export function hasLoadTool() {
  return spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined;
}

let jobs = 0;

/** Creates a load generator that keeps its scratch files in the folder. */
export function loadGenerator(/** @type {string} */ folder) {
  /** Throws if a response was not 2xx or a connection failed, because the figures would be meaningless. */
  return async function load(
    /** @type {LoadOptions} */ { origin, requests, connections, seconds },
  ) {
    const file = join(folder, `requests-${++jobs}`);
    const lines = requests.map(({ method, path, token = '', body = '' }) =>
      [method, path, token, body].join('\t'),
    );
    writeFileSync(file, `${lines.join('\n')}\n`);
    const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', SCRIPT];
    const output = await startProcess('wrk', [...flags, origin, '--', file]).ended();
    /** @type {Load & { failures: number }} */
    const { failures, ...measured } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '');
    if (failures !== 0 || measured.requests === 0) {
      throw new Error(
        `${origin} served ${measured.requests} requests, ${failures} of them with an error; the first is ` +
          `${requests[0]?.method} ${requests[0]?.path}`,
      );
    }
    return measured;
  };
}
