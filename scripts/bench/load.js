// Load from another process: `wrk` where it is installed, `autocannon` otherwise.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, startScript } from './processes.js';

const WRK_SCRIPT = fileURLToPath(new URL('./load-wrk.lua', import.meta.url));

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
 * @property {boolean} [mayBeEmpty] Not one answer in that time is fine, too.
 */

/** @type {'wrk' | 'autocannon'} */
export const loadTool =
  spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined ? 'wrk' : 'autocannon';

let jobs = 0;

/** Makes the load generator of a folder for its scratch files. */
export function loadGenerator(/** @type {string} */ folder) {
  /** Throws where any answer was not a 2xx or any connection failed: then nothing was measured. */
  return async function load(/** @type {LoadOptions} */ options) {
    const file = join(folder, `requests-${++jobs}`);
    const result = loadTool === 'wrk' ? await wrk(file, options) : await autocannon(file, options);
    const { failures, ...measured } = result;
    if (failures !== 0 || (measured.requests === 0 && options.mayBeEmpty !== true)) {
      throw new Error(
        `${options.origin} answered ${measured.requests} requests, ${failures} of them with an error; the requests ` +
          `begin with ${options.requests[0]?.method} ${options.requests[0]?.path}`,
      );
    }
    return measured;
  };
}

/** @typedef {Load & { failures: number }} Counted */

/** @returns {Promise<Counted>} */
async function wrk(
  /** @type {string} */ file,
  /** @type {LoadOptions} */ { origin, requests, connections, seconds },
) {
  const lines = requests.map(({ method, path, token = '', body = '' }) =>
    [method, path, token, body].join('\t'),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'];
  const output = await startProcess('wrk', [
    ...flags,
    '-s',
    WRK_SCRIPT,
    origin,
    '--',
    file,
  ]).ended();
  return JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '');
}

/** @returns {Promise<Counted>} */
async function autocannon(/** @type {string} */ file, /** @type {LoadOptions} */ options) {
  writeFileSync(file, JSON.stringify(options));
  return JSON.parse(await startScript('./load-autocannon.js', [file]).ended());
}
