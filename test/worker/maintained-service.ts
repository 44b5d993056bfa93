// The built Worker with the admin Worker beside it, bound to the same objects.

import './miniflare-waits.js';
import { fileURLToPath } from 'node:url';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, type Envelope, type JsonRecord } from '../support/contract.js';
import { openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { plain, startBeside, workerOptions } from '../support/worker-host.js';

const SCRIPT = fileURLToPath(new URL('../../dist/admin-worker.js', import.meta.url));
export const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };

export type MaintainedService = Awaited<ReturnType<typeof openMaintained>>;

interface MaintainedOptions {
  /** A module around the Worker. */
  readonly entry?: URL;
  readonly settings?: Readonly<Record<string, string>>;
  /** Names of further gateways. */
  readonly others?: readonly string[];
}

export async function openMaintained({
  entry,
  settings = {},
  others = [],
}: MaintainedOptions = {}) {
  const folder = await openTemporaryFolder();
  const identity = await openIdentityStub();
  const given = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY, ...settings };
  const first = await workerOptions(folder.path, given, entry);
  const modules = [{ type: 'ESModule' as const, path: SCRIPT }];
  const bindings = { ...first.bindings, MAINTENANCE: 'on' };
  const gateways = others.map((name) => ({ name }));
  const maintenance = { name: 'admin', modules, bindings };
  const { miniflare, origins } = await startBeside(first, ...gateways, maintenance);
  const [origin = ''] = origins;
  const adminOrigin = origins.at(-1);
  const ask = async (url: string, method: string, headers: object, body: unknown) => {
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const response = await fetch(url, plain({ method, headers: { ...headers }, ...sent }));
    const json: Envelope = JSON.parse(await response.text());
    return { status: response.status, json };
  };
  /** To a path of the API, as an account. */
  const as = (owner: string, method: string, path: string, body?: unknown, from = origin) => {
    const headers = { Authorization: `Bearer ${tokenOf(owner)}` };
    return ask(`${from}/api/v1${path}`, method, headers, body);
  };
  let stopped: Promise<void> | undefined;
  /** The files can then be read. */
  const stop = () => {
    stopped ??= miniflare.dispose();
    return stopped;
  };
  return {
    folder: folder.path,
    stop,
    origin,
    origins,
    as,
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
