// The neighbour: another account's client in a thread of its own. It reads a record every
// 20 ms and creates one every 100 ms, and notes how long each answer took.

import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { exchange } from '../service/exchange.js';

const READ_EVERY_MS = 20;
const WRITE_EVERY_MS = 100;
const ANSWER_MAX_MS = 15_000;
const BODY = JSON.stringify({ name: 'Neema', phone: '1' });

const { origin, headers } = workerData;
// A connection for each: a slow answer must not hide behind the ones before it.
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** @type {import('./run.js').Noted} */
const noted = { readMs: [], writeMs: [], failures: [], created: [] };
const underWay = new Set();

async function ask(/** @type {string} */ method, path = '/customers', body = '') {
  const started = performance.now();
  try {
    const url = `${origin}/api/v1${path}`;
    const { status, text } = await exchange(url, {
      agent,
      method,
      headers,
      body,
      timeout: ANSWER_MAX_MS,
    });
    (body === '' ? noted.readMs : noted.writeMs).push(performance.now() - started);
    if (status >= 300) throw new Error(String(status));
    const { id, name } = JSON.parse(text).data;
    if (name !== 'Neema' || (body === '' && path !== `/customers/${id}`)) {
      throw new Error('answered with another record');
    }
    if (body !== '') noted.created.push(id);
  } catch (error) {
    noted.failures.push(`${method} ${error instanceof Error ? error.message : error}`);
  }
}

function note(/** @type {Promise<void>} */ asked) {
  const noting = asked.finally(() => underWay.delete(noting));
  underWay.add(noting);
}

await ask('POST', '/customers', BODY);
parentPort?.postMessage('ready');
const reads = setInterval(() => note(ask('GET', `/customers/${noted.created[0]}`)), READ_EVERY_MS);
const writes = setInterval(() => note(ask('POST', '/customers', BODY)), WRITE_EVERY_MS);

parentPort?.once('message', async () => {
  clearInterval(reads);
  clearInterval(writes);
  await Promise.all(underWay);
  agent.destroy();
  parentPort?.postMessage(noted);
});
