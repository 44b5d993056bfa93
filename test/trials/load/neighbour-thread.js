// The neighbour: another account's client in a thread of its own. It reads a record every
// 20 ms and creates one every 100 ms, and notes how long each answer took.

import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { exchange } from './exchange.js';

const READ_EVERY_MS = 20;
const WRITE_EVERY_MS = 100;

const { origin, headers } = workerData;
// A connection for each: a slow answer must not hide behind the ones before it.
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const BODY = JSON.stringify({ name: 'Neema', phone: '1' });

/** @type {import('./neighbour.js').Noted} */
const noted = { readMs: [], readAt: [], writeMs: [], failures: [], created: [], stored: 0 };
const underWay = new Set();

function ask(/** @type {string} */ method, /** @type {string} */ path, body = '') {
  return exchange(`${origin}/api/v1${path}`, { agent, method, headers, body });
}

function note(/** @type {'readMs' | 'writeMs'} */ kind, /** @type {string[]} */ ...args) {
  const [method = '', path = '', body = ''] = args;
  const started = performance.now();
  const noting = ask(method, path, body)
    .then(({ status, text }) => {
      noted[kind].push(performance.now() - started);
      if (kind === 'readMs') noted.readAt.push(performance.timeOrigin + started);
      if (status >= 300) noted.failures.push(`${method} ${status}`);
      else noteRecord(method, path, JSON.parse(text).data);
    })
    .catch((error) => noted.failures.push(`${method} ${error.message}`))
    .finally(() => underWay.delete(noting));
  underWay.add(noting);
}

function noteRecord(
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {{ id: string, name: string }} */ { id, name },
) {
  const isRight = name === 'Neema' && (method === 'POST' || path === `/customers/${id}`);
  if (!isRight) noted.failures.push(`${method} of another record`);
  else if (method === 'POST') noted.created.push(id);
}

const first = await ask('POST', '/customers', BODY);
const { id } = JSON.parse(first.text).data;
noted.created.push(id);
parentPort?.postMessage('ready');
const reads = setInterval(() => note('readMs', 'GET', `/customers/${id}`), READ_EVERY_MS);
const writes = setInterval(() => note('writeMs', 'POST', '/customers', BODY), WRITE_EVERY_MS);

parentPort?.once('message', async () => {
  clearInterval(reads);
  clearInterval(writes);
  await Promise.all(underWay);
  const counted = await ask('GET', '/customers?page_size=1').catch(() => undefined);
  agent.destroy();
  noted.stored = counted === undefined ? 0 : JSON.parse(counted.text).meta.pagination.total;
  parentPort?.postMessage(noted);
});
