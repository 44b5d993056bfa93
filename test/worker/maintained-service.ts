// The built Worker with the admin Worker, bound to the same objects, and perhaps further gateways.

import './miniflare-waits.js';
import { fileURLToPath } from 'node:url';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, type JsonRecord, replyOf } from '../support/contract.js';
import type { Settings } from '../support/hosts.js';
import { asAccount, openIdentityStub } from '../support/identity-stub.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { plain, startMiniflare, workerOptions } from '../support/worker-host.js';

const SCRIPT = fileURLToPath(new URL('../../dist/admin-worker.js', import.meta.url));
export const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };

export type MaintainedService = Awaited<ReturnType<typeof openMaintained>>;

/** `entry`: a module around the Worker. `others`: names of further gateways. */
export async function openMaintained({
  entry,
  settings,
  others = [],
}: {
  entry?: URL;
  settings?: Settings;
  others?: readonly string[];
} = {}) {
  const folder = await openTemporaryFolder();
  const identity = await openIdentityStub();
  const given = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY, ...settings };
  const direct = { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] };
  const first = { ...(await workerOptions(folder.path, given, entry)), ...direct };
  const { durableObjectsPersist: _, ...shared } = first;
  const objects = Object.entries(first.durableObjects ?? {}).map(([binding, object]) => [
    binding,
    { ...(object as { className: string }), scriptName: first.name },
  ]);
  const beside = { ...shared, durableObjects: Object.fromEntries(objects) };
  const admin = {
    name: 'admin',
    modules: [{ type: 'ESModule' as const, path: SCRIPT }],
    bindings: { ...first.bindings, MAINTENANCE: 'on' },
  };
  const gateways = others.map((name) => ({ ...beside, name }));
  const miniflare = await startMiniflare([first, { ...beside, ...admin }, ...gateways]);
  const originOf = async (name = '') => (await miniflare.unsafeGetDirectURL(name)).origin;
  const [origin, adminOrigin] = [await originOf(first.name), await originOf('admin')];
  const origins = [origin, ...(await Promise.all(others.map(originOf)))];
  const ask = async (url: string, method: string, headers: object, body: unknown) => {
    const sent = body !== undefined && { body: JSON.stringify(body) };
    return replyOf(await fetch(url, plain({ method, headers: { ...headers }, ...sent })));
  };
  /** To a path of the API, as an account. */
  const as = (owner: string, method: string, path: string, body?: unknown, from = origin) =>
    ask(`${from}/api/v1${path}`, method, asAccount(owner), body);
  let stopped: Promise<void> | undefined;
  /** The files can then be read. */
  const stop = () => {
    stopped ??= miniflare.dispose();
    return stopped;
  };
  return {
    ...{ folder: folder.path, origin, adminOrigin, origins, stop, as },
    /** To a path of the API, as the operator. */
    operate: (method: string, path: string, body?: unknown) =>
      ask(`${origin}/api/v1${path}`, method, OPERATOR, body),
    /** To a path of the admin Worker. */
    maintain: (method: string, path: string, body?: unknown) =>
      ask(`${adminOrigin}${path}`, method, OPERATOR, body),
    async create(owner: string, name: string): Promise<JsonRecord & { id: string }> {
      const body = { ...VALID_BODY.customers, name };
      const { status, json } = await as(owner, 'POST', '/customers', body);
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
      return json.data;
    },
    async close() {
      await stop();
      await identity.close();
      await folder.remove();
    },
  };
}
