// The built Worker with MAINTENANCE=on, for `manage dump` and `manage load`.

import { ADMIN_KEY, replyOf } from '../support/contract.js';
import { plain, startMiniflare, workerOptions } from '../support/worker-host.js';

/** `folder`: of its state. */
export async function startMaintained(folder: string, settings: Record<string, string> = {}) {
  const given = { ADMIN_API_KEY: ADMIN_KEY, MAINTENANCE: 'on', ...settings };
  const miniflare = await startMiniflare([await workerOptions(folder, given)]);
  const { origin } = await miniflare.ready;
  const admin = { 'X-Service-Admin-Key': ADMIN_KEY };
  return {
    origin,
    maintain: (method: string, headers: object = {}, body: Uint8Array<ArrayBuffer> | null = null) =>
      fetch(`${origin}/maintenance`, plain({ method, headers: { ...admin, ...headers }, body })),
    ask: async (method: string, path: string, headers: object = {}, body?: object) => {
      const sent = body && { body: JSON.stringify(body) };
      const init = plain({ method, headers: { ...admin, ...headers }, ...sent });
      return replyOf(await fetch(origin + path, init));
    },
    stop: () => miniflare.dispose(),
  };
}
