// Everything that is measured, as processes that listen on a free loopback port.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.js';
import { otherDataSet, ownersOf } from './data-set.js';
import { startProcess, startScript } from './processes.js';

/** @import { FixedAnswer, FixedAnswers } from './targets/answer-file.js' */
/** @import { LoadRequest } from './load.js' */
/** @import { Bench } from './bench-context.js' */
/** @import { Accounts, DataSet } from './data-set.js' */
/** @import { Started } from './processes.js' */
/** @import { Contender } from './rounds.js' */

/** `others`: processes that work for this one, too. @typedef {{ origin: string, process: Started, others?: readonly number[] }} Target */

export const OTHER_BUILD = 'the other build';

const LISTENS = /"address":"(http:[^"]+)"/;
const TRACER = ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];

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
  const [, origin = ''] = await started.saw(LISTENS);
  return { origin, process: started };
}

/**
 * `node dist/server.js`, as it is deployed.
 * @param {object} options
 * @param {string} options.file
 * @param {string} [options.checkout] Of the service; this one, unless it is given.
 * @param {string} options.identityOrigin
 * @param {number} [options.cacheSeconds]
 * @param {number} [options.syncDelayMs] Lets every sync take this much longer, under a tracer.
 * @param {string} [options.litestreamSocket] With a replica.
 */
export function startOurs({
  file,
  checkout = root,
  identityOrigin,
  cacheSeconds = 300,
  syncDelayMs,
  litestreamSocket,
}) {
  const server = join(checkout, 'dist/server.js');
  const environment = {
    PORT: '0',
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: `${identityOrigin}/userinfo`,
    AUTH_CACHE_SECONDS: String(cacheSeconds),
    ...(litestreamSocket && {
      REPLICATION: `async:${litestreamSocket}`,
      DATABASE_CREATE: 'yes',
    }),
  };
  if (syncDelayMs === undefined) return startProcess(process.execPath, [server], environment);
  const inject = `fsync,fdatasync:delay_exit=${syncDelayMs * 1000}`;
  const traced = [...TRACER, '-e', 'trace=fsync,fdatasync', '-e', `inject=${inject}`];
  return startProcess('strace', [...traced, process.execPath, server], environment);
}

/**
 * The build that stands beside ours, on records of its own, as a contender; none where
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

/** Starts a floor that sends the answers in `answers`. */
export function startFloor(
  /** @type {'node' | 'hono'} */ kind,
  /** @type {string} */ folder,
  /** @type {FixedAnswers} */ answers,
) {
  const file = join(folder, `answers-${Object.keys(answers).join('-')}-${++files}.json`);
  writeFileSync(file, JSON.stringify(answers));
  return listening(startScript(`./targets/${kind}-floor.js`, [file]));
}

let files = 0;

/** Starts a peer on the same records. The data set's file must not be in use. */
export function startPeer(
  /** @type {'fastify' | 'json-server'} */ kind,
  /** @type {string} */ folder,
  /** @type {DataSet} */ data,
) {
  const file = join(folder, `${kind}-${++files}.${kind === 'fastify' ? 'db' : 'json'}`);
  const owners = kind === 'fastify' ? [JSON.stringify(data.accounts.flatMap(ownersOf))] : [];
  return listening(startScript(`./targets/${kind}-peer.js`, [data.file, file, ...owners]));
}

/** A copy of the records for a process of its own. */
export function copied(/** @type {DataSet} */ data, /** @type {string} */ name) {
  const file = data.file.replace(/\.db$/, `-${name}.db`);
  copyFileSync(data.file, file);
  return { ...data, file };
}

/** A target's answer to a request, in a form that a floor can repeat. Throws when it is not 2xx. */
export async function answerOf(
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
  if (!response.ok) throw new Error(`${origin}${path} answered ${response.status}: ${text}`);
  const headers = [...response.headers].filter(([name]) => !HOP_HEADERS.has(name));
  return /** @type {FixedAnswer} */ ({
    status: response.status,
    headers: Object.fromEntries(headers),
    body: text,
  });
}
