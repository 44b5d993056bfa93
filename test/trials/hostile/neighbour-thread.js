// The neighbour: another account's client in its own thread. It reads a record every 20 ms and
// creates one every 100 ms, and records how long each response took.

import { parentPort, workerData } from 'node:worker_threads';

const READ_EVERY_MS = 20;
const WRITE_EVERY_MS = 100;
const ANSWER_MAX_MS = 15_000;
const BODY = JSON.stringify({ name: 'Neema', phone: '1' });

const { origin, headers } = workerData;
/** @type {import('./run.js').Noted} */
const noted = { readMs: [], writeMs: [], failures: [], created: [] };
const underWay = new Set();

/** Each has its own connection while others wait, so that no request waits behind a slow response. */
async function ask(/** @type {string} */ method, id = '') {
  const started = performance.now();
  const isRead = method === 'GET';
  try {
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    const sent = isRead ? {} : { body: BODY };
    const path = isRead ? `/customers/${id}` : '/customers';
    const response = await fetch(`${origin}/api/v1${path}`, { method, headers, signal, ...sent });
    const { data } = await response.json();
    (isRead ? noted.readMs : noted.writeMs).push(performance.now() - started);
    if (response.status >= 300) throw new Error(String(response.status));
    if (data.name !== 'Neema' || (isRead && data.id !== id)) throw new Error('another record');
    if (!isRead) noted.created.push(data.id);
  } catch (error) {
    noted.failures.push(`${method} ${error instanceof Error ? error.message : error}`);
  }
}

function note(/** @type {Promise<void>} */ asked) {
  const noting = asked.finally(() => underWay.delete(noting));
  underWay.add(noting);
}

await ask('POST');
parentPort?.postMessage('ready');
const reads = setInterval(() => note(ask('GET', noted.created[0])), READ_EVERY_MS);
const writes = setInterval(() => note(ask('POST')), WRITE_EVERY_MS);

parentPort?.once('message', async () => {
  clearInterval(reads);
  clearInterval(writes);
  await Promise.all(underWay);
  parentPort?.postMessage(noted);
});
