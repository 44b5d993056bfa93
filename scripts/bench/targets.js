// Starts what is measured: processes that listen on a free loopback port.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.js';
import { otherDataSet } from './data-set.js';
import { startProcess, startScript } from './processes.js';

/** @import { FixedResponse, FixedResponses } from './targets/fixed-responses.js' */
/** @import { LoadRequest } from './load.js' */
/** @import { Bench } from './bench.js' */
/** @import { Accounts } from './data-set.js' */
/** @import { Line } from './table.js' */
/** @import { Started } from './processes.js' */
/** @import { Contender } from './rounds.js' */

/** @typedef {{ origin: string, process: Started }} Target */

export const OTHER_BUILD = 'the other build';

const LISTENS = /"address":"(http:[^"]+)"/;

/** Headers that the server of a floor sets by itself. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'transfer-encoding',
]);

/** @returns {Promise<Target>} */
export async function listening(/** @type {Started} */ started) {
  const [, origin = ''] = await started.waitForOutput(LISTENS);
  return { origin, process: started };
}

/**
 * `node dist/server.js`, as it is deployed.
 * @param {{ file: string, identityOrigin: string, checkout?: string }} options `checkout` of the service; this one by default.
 */
export function startOurs({ file, identityOrigin, checkout = root }) {
  return startProcess(process.execPath, [join(checkout, 'dist/server.js')], {
    PORT: '0',
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: `${identityOrigin}/userinfo`,
    AUTH_CACHE_SECONDS: '300',
  });
}

let databases = 0;

/** Lets the service of a checkout create a database; resolves with the file. */
export async function emptyDatabase(
  /** @type {string} */ folder,
  /** @type {Target} */ identity,
  checkout = root,
) {
  const file = join(folder, `empty-${++databases}.db`);
  const options = { file, checkout, identityOrigin: identity.origin };
  const service = await listening(startOurs(options));
  await service.process.stop();
  return file;
}

/** Stops the targets that `run` started, last first. */
export async function withTargets(
  /** @type {(use: <T extends Target>(target: Promise<T> | T) => Promise<T>) => Promise<Line[]>} */ run,
) {
  /** @type {Target[]} */
  const started = [];
  const lines = await run(async (starting) => {
    const target = await starting;
    started.push(target);
    return target;
  });
  for (const target of started.reverse()) await target.process.stop();
  return lines;
}

/**
 * The build that is compared with ours, on its own records, as a contender; empty if
 * none was given.
 * @param {Bench} bench
 * @param {(target: Promise<Target>) => Promise<Target>} use
 * @param {string} name Of the data set.
 * @param {readonly Accounts[]} accounts
 * @param {readonly LoadRequest[]} requests
 * @returns {Promise<Contender[]>}
 */
export async function otherBuild(bench, use, name, accounts, requests) {
  const { identity, other } = bench;
  const data = await otherDataSet(bench, name, accounts);
  if (data === undefined || other === undefined) return [];
  const options = { file: data.file, checkout: other.checkout, identityOrigin: identity.origin };
  return [{ name: OTHER_BUILD, target: await use(listening(startOurs(options))), requests }];
}

export function startIdentityProvider() {
  return listening(startScript('./targets/identity-provider.js'));
}

/** Starts a floor that sends these responses. */
export function startFloor(/** @type {string} */ folder, /** @type {FixedResponses} */ responses) {
  const file = join(folder, `responses-${++files}.json`);
  writeFileSync(file, JSON.stringify(responses));
  return listening(startScript('./targets/hono-floor.js', [file]));
}

let files = 0;

/** A target's response to a request, which a floor can repeat. Throws if it is not 2xx. */
export async function capture(
  /** @type {Target} */ { origin },
  /** @type {LoadRequest} */ { method, path, token, body },
) {
  const response = await fetch(origin + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${origin}${path} returned ${response.status}: ${text}`);
  const headers = [...response.headers].filter(([name]) => !HOP_HEADERS.has(name));
  return /** @type {FixedResponse} */ ({
    status: response.status,
    headers: Object.fromEntries(headers),
    body: text,
  });
}
