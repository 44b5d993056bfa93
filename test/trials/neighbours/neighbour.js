// The neighbour: another account's client in a thread of its own. It reads a record every
// 20 ms and creates one every 100 ms, and notes how long each answer took.

import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const READ_EVERY_MS = 20;
const WRITE_EVERY_MS = 100;
const ANSWER_MAX_MS = 15_000;

const { origin, headers } = workerData;
// A connection for each: a slow answer must not hide behind the ones before it.
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const CUSTOMER = JSON.stringify({ name: 'Neema', phone: '1' });

/** @type {{ readMs: number[], writeMs: number[], failures: string[], created: string[] }} */
const noted = { readMs: [], writeMs: [], failures: [], created: [] };
const underWay = new Set();

/** @returns {Promise<{ status: number, text: string }>} */
function exchange(/** @type {string} */ method, /** @type {string} */ path, body = '') {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers, timeout: ANSWER_MAX_MS };
    const sent = request(`${origin}/api/v1${path}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in 15 s')));
    sent.on('error', reject);
    sent.end(body);
  });
}

function note(/** @type {'readMs' | 'writeMs'} */ kind, /** @type {string[]} */ ...args) {
  const [method = '', path = '', body = ''] = args;
  const started = performance.now();
  const noting = exchange(method, path, body)
    .then(({ status, text }) => {
      noted[kind].push(performance.now() - started);
      if (status >= 300) noted.failures.push(`${method} ${status}`);
      else if (method === 'POST') noted.created.push(JSON.parse(text).data.id);
    })
    .catch((error) => noted.failures.push(`${method} ${error.message}`))
    .finally(() => underWay.delete(noting));
  underWay.add(noting);
}

const first = await exchange('POST', '/customers', CUSTOMER);
const { id } = JSON.parse(first.text).data;
noted.created.push(id);
parentPort?.postMessage('ready');
const reads = setInterval(() => note('readMs', 'GET', `/customers/${id}`), READ_EVERY_MS);
const writes = setInterval(() => note('writeMs', 'POST', '/customers', CUSTOMER), WRITE_EVERY_MS);

parentPort?.once('message', async () => {
  clearInterval(reads);
  clearInterval(writes);
  await Promise.all(underWay);
  const { text } = await exchange('GET', '/customers?page_size=1');
  agent.destroy();
  parentPort?.postMessage({ ...noted, stored: JSON.parse(text).meta.pagination.total });
});
