// The built Worker with the operator's scripts beside it, bound to the same objects.

import '../support/miniflare-waits.js';
import { fileURLToPath } from 'node:url';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, type Envelope, type JsonRecord } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { plain, startBeside, workerOptions } from '../support/worker-host.js';

const DIST = new URL('../../dist/', import.meta.url);
const BUCKET = 'copies';
export const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };

export interface Answer {
  readonly status: number;
  readonly json: Envelope;
}

export interface MaintainedService {
  readonly folder: string;
  readonly miniflare: Awaited<ReturnType<typeof startBeside>>['miniflare'];
  readonly origin: string;
  readonly copiesOrigin: string;
  /** To a path of the API, as an account. */
  as(owner: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** To a path of the API, as the operator. */
  operate(method: string, path: string, body?: unknown): Promise<Answer>;
  /** To a path of the script. */
  maintain(method: string, path: string, body?: unknown): Promise<Answer>;
  /** To a path of the copies Worker. */
  copies(method: string, path: string): Promise<Answer>;
  /** Lets the cron trigger of the copies Worker go off. */
  trigger(): Promise<void>;
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
  const script = (name: string) => {
    const path = fileURLToPath(new URL(`${name}-worker.js`, DIST));
    const modules = [{ type: 'ESModule' as const, path }];
    return { name, modules, r2Buckets: { COPIES: BUCKET } };
  };
  const { miniflare, origins } = await startBeside(first, script('maintenance'), script('copies'));
  const [service = '', maintenance = '', copying = ''] = origins;
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
    copiesOrigin: copying,
    as,
    operate: (method, path, body) => ask(`${service}/api/v1${path}`, method, OPERATOR, body),
    maintain: (method, path, body) => ask(`${maintenance}${path}`, method, OPERATOR, body),
    copies: (method, path) => ask(`${copying}${path}`, method, OPERATOR, undefined),
    async trigger() {
      const { outcome } = await (await miniflare.getWorker('copies')).scheduled({});
      if (outcome !== 'ok') throw new Error(`the trigger ended with ${outcome}`);
    },
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
