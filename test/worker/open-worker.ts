// The built Worker in Miniflare with the test's own settings, texts or not, and in maintenance mode.

import { ADMIN_KEY, type Row, replyOf } from '../support/contract.js';
import { plain, startMiniflare, workerOptions } from '../support/worker-host.js';

/** `folder`: of its state. `nextRelease`: the name of a second Worker over the same object, at index 1. */
export async function openWorker(folder: string, settings: object = {}, nextRelease?: string) {
  const options = await workerOptions(folder, { ADMIN_API_KEY: ADMIN_KEY });
  const unsafeDirectSockets = [{ host: '127.0.0.1', port: 0 }];
  const first = { ...options, bindings: { ...options.bindings, ...settings }, unsafeDirectSockets };
  const { durableObjectsPersist: _, ...shared } = first;
  const SERVICE = { className: 'ServiceObject', scriptName: first.name };
  const names = [first.name, ...(nextRelease === undefined ? [] : [nextRelease])];
  const next = names.slice(1).map((name) => ({ ...shared, name, durableObjects: { SERVICE } }));
  const miniflare = await startMiniflare([first, ...next]);
  const urls = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)));
  const origins = urls.map((url) => url.origin);
  const send = (url: string, method: string, headers: object, body?: BodyInit) => {
    const all = { 'X-Service-Admin-Key': ADMIN_KEY, ...headers };
    return fetch(url, plain({ method, headers: all, ...(body && { body }) }));
  };
  return {
    origin: origins[0] ?? '',
    maintain: (method: string, headers: object = {}, body?: BodyInit) =>
      send(`${origins[0]}/maintenance`, method, headers, body),
    ask: async <Data = Row>(
      method: string,
      path: string,
      headers: object = {},
      body?: object,
      release = 0,
    ) => {
      const url = `${origins[release]}/api/v1${path}`;
      return replyOf<Data>(await send(url, method, headers, body && JSON.stringify(body)));
    },
    stop: () => miniflare.dispose(),
  };
}
