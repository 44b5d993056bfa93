// The built Worker with the operator's script beside it, bound to the same objects.

import './miniflare-waits.js';
import { fileURLToPath } from 'node:url';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, type Envelope, type JsonRecord } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { plain, startBeside, workerOptions } from '../support/worker-host.js';

const SCRIPT = fileURLToPath(new URL('../../dist/admin-worker.js', import.meta.url));
export const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };

export interface Answer {
  readonly status: number;
  readonly json: Envelope;
}

export interface MaintainedService {
  readonly folder: string;
  readonly miniflare: Awaited<ReturnType<typeof startBeside>>['miniflare'];
  readonly origin: string;
  readonly maintenanceOrigin: string;
  /** To a path of the API, as an account. */
  as(owner: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** To a path of the API, as the operator. */
  operate(method: string, path: string, body?: unknown): Promise<Answer>;
  /** To a path of the script with work on accounts. */
  maintain(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Resolves when the directory has heard of so many records, at least. */
  told(records: number): Promise<void>;
  /** Resolves with the record. */
  create(owner: string, name: string): Promise<JsonRecord & { id: string }>;
  close(): Promise<void>;
}

export interface MaintainedOptions {
  /** A module around the Worker. */
  readonly entry?: URL;
  readonly settings?: Readonly<Record<string, string>>;
}

export async function openMaintained(options: MaintainedOptions = {}): Promise<MaintainedService> {
  const { entry, settings = {} } = options;
  const folder = await openTemporaryFolder();
  const identity = await openIdentityStub();
  const given = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY, ...settings };
  const first = await workerOptions(folder.path, given, entry);
  const modules = [{ type: 'ESModule' as const, path: SCRIPT }];
  const bindings = { ...first.bindings, MAINTENANCE: 'on' };
  const { miniflare, origins } = await startBeside(first, {
    name: 'maintenance',
    modules,
    bindings,
  });
  const [service = '', maintenance = ''] = origins;
  const ask = async (url: string, method: string, headers: object, body: unknown) => {
    const init = { method, headers: { ...headers } };
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
    const response = await fetch(url, plain(sent));
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  const as: MaintainedService['as'] = (owner, method, path, body) => {
    const headers = { Authorization: `Bearer ${tokenOf(owner)}` };
    return ask(`${service}/api/v1${path}`, method, headers, body);
  };
  return {
    folder: folder.path,
    miniflare,
    origin: service,
    maintenanceOrigin: maintenance,
    as,
    operate: (method, path, body) => ask(`${service}/api/v1${path}`, method, OPERATOR, body),
    maintain: (method, path, body) => ask(`${maintenance}${path}`, method, OPERATOR, body),
    async told(records) {
      await eventually(async () => {
        const { data } = (await ask(`${service}/api/v1/admin/overview`, 'GET', OPERATOR, undefined))
          .json;
        if (data.record_count < records) throw new Error(`${data.record_count} of ${records}`);
      });
    },
    async create(owner, name) {
      const body = { ...VALID_BODY.customers, name };
      const { status, json } = await as(owner, 'POST', '/customers', body);
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
      return json.data;
    },
    async close() {
      await miniflare.dispose();
      await identity.close();
      await folder.remove();
    },
  };
}
