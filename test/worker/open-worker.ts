// The built Worker in Miniflare with settings of the test's own, texts or not, and as a maintenance runs it.

import { ADMIN_KEY, replyOf } from '../support/contract.js';
import { plain, startMiniflare, workerOptions } from '../support/worker-host.js';

/** `folder`: of its state. */
export async function openWorker(folder: string, settings: object = {}) {
  const options = await workerOptions(folder, { ADMIN_API_KEY: ADMIN_KEY });
  const bindings = { ...options.bindings, ...settings };
  const miniflare = await startMiniflare([{ ...options, bindings }]);
  const { origin } = await miniflare.ready;
  const send = (path: string, method: string, headers: object, body?: BodyInit) => {
    const all = { 'X-Service-Admin-Key': ADMIN_KEY, ...headers };
    return fetch(origin + path, plain({ method, headers: all, ...(body && { body }) }));
  };
  return {
    origin,
    maintain: (method: string, headers: object = {}, body?: BodyInit) =>
      send('/maintenance', method, headers, body),
    ask: async (method: string, path: string, headers: object = {}, body?: object) =>
      replyOf(await send(`/api/v1${path}`, method, headers, body && JSON.stringify(body))),
    stop: () => miniflare.dispose(),
  };
}
