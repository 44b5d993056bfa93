// The client in Hermes, the engine of React Native: compiled by React Native's own
// Babel preset, with the polyfills that React Native has. The engine alone has no
// network, so `fetch` gives the answers that the real handler gave to the same calls.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import type * as client from '../../src/client.js';
import type * as handler from '../../src/handler.js';
import type * as memory from '../../src/memory.js';
import { ROOT } from '../support/pages.js';
import { MODULES, openRecipe } from './project.js';

const PLATFORM = process.platform === 'darwin' ? 'osx-bin' : 'linux64-bin';
const HERMES = join(MODULES, 'hermes-engine-cli', PLATFORM, 'hermes');

/** The calls of an app; resolves with their results. */
const SCENARIO = `
export async function scenario({ ApiError, createClient }, fetch) {
  const api = createClient({ baseUrl: 'http://localhost/api/v1', token: async () => 'local-phone', fetch });
  const order = await api.orders.create({ customer: 'Neema & Co', service: 'Hem', amount: 5000 });
  const changed = await api.orders.update(order.id, { paid: 5000, method: null });
  const seen = [];
  for await (const { id, paid } of api.orders.all({ q: 'neema & co', status: undefined })) seen.push([id, paid]);
  const refused = await api.orders.create({ customer: '', amount: -1 }).catch((error) => error);
  const missing = await api.orders.read('ORD-9999').catch((error) => error);
  const never = createClient({ baseUrl: 'http://localhost/api/v1', token: 't', timeoutMs: 20, fetch: () => new Promise(() => {}) });
  const late = await never.orders.list().catch((error) => error);
  const controller = new AbortController();
  const ended = never.orders.list({}, { signal: controller.signal }).catch((error) => error);
  controller.abort();
  return {
    status: order.status, changed: [changed.paid, changed.method], seen,
    fields: Object.keys(refused.fields), missing: [missing.code, missing.status, missing.requestId !== undefined],
    late: late.code, ended: (await ended).code, own: [refused, missing, late].every((error) => error instanceof ApiError),
  };
}
`;

const MAIN = (answers: readonly Recorded[]) => `
import { AbortController } from 'abort-controller/dist/abort-controller';
import { Headers } from 'whatwg-fetch';
import * as client from 'service-management-api/client';
import { scenario } from './scenario.js';
globalThis.AbortController = AbortController;
globalThis.Headers = Headers;
const said = [];
globalThis.console = { error: (...words) => said.push(words.map(String)), warn: (...words) => said.push(words.map(String)), assert() {} };
// The engine's own timers come at once, whatever their time: one millisecond is one turn here.
const turn = globalThis.setTimeout;
const timers = new Map();
let now = 0;
let ids = 0;
let isDone = false;
globalThis.setTimeout = (act, milliseconds) => (timers.set(++ids, { act, at: now + milliseconds }), ids);
globalThis.clearTimeout = (id) => timers.delete(id);
function tick() {
  now++;
  for (const [id, { act, at }] of [...timers]) if (at <= now) { timers.delete(id); act(); }
  if (!isDone) turn(tick, 0);
}
turn(tick, 0);
const answers = ${JSON.stringify(answers)};
const fetch = async (url, { method }) => {
  const { asked, status, text } = answers.shift();
  if (asked !== method + ' ' + url) throw new Error('asked ' + method + ' ' + url + ', not ' + asked);
  return { status, ok: status < 300, headers: new Headers(), text: async () => text };
};
scenario(client, fetch).then((seen) => JSON.stringify({ ...seen, said }), (error) => (JSON.stringify({ failed: String(error), cause: String(error.cause), stack: String(error.stack).slice(0, 600), said }))).then((text) => { isDone = true; print(text); });
`;

interface Recorded {
  readonly asked: string;
  readonly status: number;
  readonly text: string;
}

it('The client behaves in Hermes as in Node', async () => {
  const project = await openRecipe('hermes', { 'scenario.js': SCENARIO });
  try {
    const { answers, seen } = await inNode(project.path);
    expect(seen).toMatchObject({
      changed: [5000, null],
      fields: ['customer', 'service', 'amount'],
      missing: ['NOT_FOUND', 404, true],
      late: 'TIMED_OUT',
      ended: 'ABORTED',
      own: true,
    });
    await writeFile(join(project.path, 'main.js'), MAIN(answers));
    await compile(project.path);
    const { stdout } = await promisify(execFile)(HERMES, ['hermes.js'], { cwd: project.path });
    expect(JSON.parse(stdout)).toEqual({ ...seen, said: [] });
  } finally {
    await project.remove();
  }
});

/** Runs the scenario on a service in memory; resolves with its answers and with what the app saw. */
async function inNode(folder: string) {
  const built = <Entry>(name: string) => import(join(ROOT, 'dist', name)) as Promise<Entry>;
  const { createHandler, openRecords } = await built<typeof handler>('handler.js');
  const { localIdentity, openMemoryStorage } = await built<typeof memory>('memory.js');
  const { scenario } = await import(join(folder, 'scenario.js'));
  const records = await openRecords({ storage: openMemoryStorage({ sampleRows: false }) });
  const handle = createHandler({ records, identity: localIdentity() });
  const answers: Recorded[] = [];
  const seen = await scenario(
    await built<typeof client>('client.js'),
    async (url: string, init: RequestInit) => {
      const response = await handle(new Request(url, init));
      const text = await response.clone().text();
      answers.push({ asked: `${init.method} ${url}`, status: response.status, text });
      return response;
    },
  );
  await records.close();
  return { answers, seen };
}

/** `main.js` → `hermes.js`, as React Native's bundler does it. */
async function compile(folder: string): Promise<void> {
  const bundle = join(folder, 'bundle.js');
  await build({
    absWorkingDir: folder,
    entryPoints: ['main.js'],
    outfile: bundle,
    bundle: true,
    format: 'iife',
    target: 'es2019',
    logLevel: 'silent',
  });
  const require = createRequire(join(MODULES, 'package.json'));
  const { code } = require('@babel/core').transformSync(await readFile(bundle, 'utf8'), {
    filename: bundle,
    presets: [require.resolve('@react-native/babel-preset')],
    babelrc: false,
    configFile: false,
    compact: true,
  });
  await writeFile(join(folder, 'hermes-modules.js'), code);
  // The preset takes its runtime from modules.
  await build({
    absWorkingDir: folder,
    entryPoints: ['hermes-modules.js'],
    outfile: join(folder, 'hermes.js'),
    bundle: true,
    format: 'iife',
    target: 'es2019',
    logLevel: 'silent',
  });
}
