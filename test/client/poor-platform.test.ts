// The built client on a platform with only what React Native and the browsers of 2019 have: the
// engine's objects without newer ones, and polyfilled `fetch`, Headers, AbortController and timers.

import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const CLIENT = fileURLToPath(new URL('../../dist/client.js', import.meta.url));

/** As in the package abort-controller, which React Native uses: a signal has `aborted`, but no reason. */
const POLYFILLS = `
class AbortSignal {
  aborted = false;
  listeners = new Set();
  addEventListener(type, listener) { this.listeners.add(listener); }
  removeEventListener(type, listener) { this.listeners.delete(listener); }
}
class AbortController {
  signal = new AbortSignal();
  abort() { this.signal.aborted = true; for (const listener of [...this.signal.listeners]) listener({}); }
}
class Headers {
  constructor(pairs = {}) { this.pairs = Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]); }
  get(name) { const found = this.pairs.find(([known]) => known === name.toLowerCase()); return found ? found[1] : null; }
}
const asked = [];
function fetch(url, init) {
  asked.push({ url, method: init.method, authorization: init.headers.get('authorization'), body: init.body });
  if (url.includes('silence')) return new Promise(() => {});
  const data = init.method === 'GET' ? [] : { id: 'ORD-0001' };
  const meta = { request_id: 'req_1', pagination: { page: 1, page_size: 20, total: 0, total_pages: 0 } };
  return Promise.resolve({ status: 200, ok: true, headers: new Headers(), text: async () => JSON.stringify({ data, meta }) });
}
for (const [owner, names] of [
  [Object, ['hasOwn', 'groupBy']],
  [Array.prototype, ['at', 'findLast', 'toSorted', 'toReversed', 'with']],
  [String.prototype, ['at', 'replaceAll', 'isWellFormed', 'toWellFormed']],
  [Promise, ['any', 'withResolvers', 'try']],
]) for (const name of names) delete owner[name];
const NativeError = Error;
globalThis.Error = class Error extends NativeError { constructor(message) { super(message); } };
`;

let context: object;

beforeAll(async () => {
  const options = { bundle: true, format: 'iife', globalName: 'client', write: false } as const;
  const { outputFiles } = await build({ entryPoints: [CLIENT], ...options });
  context = createContext({ setTimeout, clearTimeout });
  runInContext(POLYFILLS, context);
  runInContext(outputFiles[0]?.text ?? '', context);
});

/** Evaluates code there, with a client `api`, and returns its value as JSON. */
async function inside(code: string): Promise<unknown> {
  const options = `{ baseUrl: 'http://localhost/api/v1', token: 't', timeoutMs: 30 }`;
  const program = `(async () => { asked.length = 0; const api = client.createClient(${options}); ${code} })()`;
  return JSON.parse(JSON.stringify((await runInContext(program, context)) ?? null));
}

const CAUGHT = `.catch((error) => ({ ...error.toJSON(), own: error instanceof client.ApiError }))`;

describe('On a platform with the features of 2019', () => {
  it('calls work, with query and body', async () => {
    const query = `{ q: 'a&b=ü 😀\\ud800', status: undefined, page: 2 }`;
    const code = `await api.orders.list(${query}); await api.orders.update('ORD/1', { paid: 5 }); return asked;`;
    const path = 'http://localhost/api/v1/orders';
    const authorization = 'Bearer t';
    const listed = `${path}?q=a%26b%3D%C3%BC%20%F0%9F%98%80%EF%BF%BD&page=2`;
    expect(await inside(code)).toEqual([
      { url: listed, method: 'GET', authorization },
      { url: `${path}/ORD%2F1`, method: 'PATCH', authorization, body: '{"paid":5}' },
    ]);
  });

  it('iterating over all pages ends, and a call times out although fetch ignores signals', async () => {
    expect(await inside(`for await (const row of api.orders.all()) return row;`)).toBe(null);
    const error = await inside(`return api.orders.list({ q: 'silence' })${CAUGHT}`);
    expect(error).toMatchObject({ name: 'ApiError', code: 'TIMED_OUT', own: true });
  });

  it.each([
    ['before', (list: string) => `controller.abort(); return ${list}`],
    ['after', (list: string) => `const list = ${list}; controller.abort(); return list`],
  ])('a signal that is aborted %s the call started ends the call', async (_, steps) => {
    const list = `api.orders.list({ q: 'silence' }, { signal: controller.signal })${CAUGHT}`;
    const error = await inside(`const controller = new AbortController(); ${steps(list)}`);
    const message = expect.stringContaining('was aborted by its signal');
    expect(error).toMatchObject({ code: 'ABORTED', own: true, message });
  });
});
