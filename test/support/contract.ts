// The requests of contract tests, the same on every host, and what their responses must be.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type CollectionName, VALID_BODY } from './collection-table.js';
import { currentHost, type Host, type RunningHost, type Settings } from './hosts.js';
import { asAccount, type IdentityStub, openIdentityStub } from './identity-stub.js';
import { expectDescribed } from './openapi-document.js';
import { openFolder, type TestFolder } from './test-folder.js';

export const ADMIN_KEY = 'the-operator-key-of-the-contract-suite';
const PREFIX = '/api/v1';

export type JsonRecord = Record<string, unknown>;
/** A record, row or view of which a test reads at most the id. */
export type Row = JsonRecord & { readonly id: string; readonly owner_sub: string };

export type Reply<Data = unknown> = Awaited<ReturnType<typeof replyOf<Data>>>;

/** A response's body. `Data`: the type that the test expects. */
export interface Envelope<Data = unknown> {
  readonly data: Data;
  readonly error?: { readonly code: string; readonly message: string };
  readonly meta: {
    readonly request_id: string;
    readonly timestamp: string;
    /** Of lists only. */
    readonly pagination: Readonly<Record<'page' | 'page_size' | 'total' | 'total_pages', number>>;
  };
}

/** A response with its body. `json` is the parsed envelope, or `{}` if the body is empty. */
export async function replyOf<Data = Row>(response: Response) {
  const { status, headers } = response;
  const text = await response.text();
  const json: Envelope<Data> = text === '' ? {} : JSON.parse(text);
  return { status, headers, text, json };
}

/** Expects the response to be this error, without data. */
export function expectError({ status, json }: Reply, wanted: number, code: string): void {
  expect([status, json.error?.code, json.data]).toEqual([wanted, code, undefined]);
}

/** The ids of a list's rows, in order. */
export function idsOf(reply: Reply): string[] {
  return (reply.json.data as Row[]).map(({ id }) => id);
}

/** `meta.pagination` of a list. */
export function pagination(page: number, page_size: number, total: number, total_pages: number) {
  return { page, page_size, total, total_pages };
}

/** A tenant's path of the administration API. `~.` and `~..` stand for `.` and `..`. */
export function tenantPath(owner: string, ...segments: readonly string[]): string {
  const named = /^~*\.{1,2}$/.test(owner) ? `~${owner}` : owner;
  return ['/admin/accounts', ...[named, ...segments].map(encodeURIComponent)].join('/');
}

/** `body`: sent as JSON; a string or bytes are sent as they are. */
type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };
type Created = Promise<Row>;

export type Caller = ReturnType<typeof callerOf>;

/** The requests of one caller. Paths are relative to `/api/v1`. */
function callerOf(
  fetch: RunningHost['fetch'],
  subject: string,
  credentials: Readonly<Record<string, string>>,
) {
  const send = async <Data = Row>(method: string, path: string, { headers, body }: Sent = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const init = { method, headers: { ...credentials, ...headers } };
    const sent = body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) };
    const reply = await replyOf<Data>(await fetch(PREFIX + path, { ...init, ...sent }));
    expect(reply.json.error?.message, 'an error says what is wrong').not.toBe('');
    return reply;
  };
  return {
    subject,
    send,
    get: <Data = Row>(path: string) => send<Data>('GET', path),
    post: (path: string, body: unknown) => send('POST', path, { body }),
    patch: (path: string, body: unknown) => send('PATCH', path, { body }),
    delete: (path: string) => send('DELETE', path),
    /** Creates a record in a collection or at a tenant's path. Fails unless the status is 201. */
    async create(collection: string, body: JsonRecord): Created {
      const path = collection.startsWith('/') ? collection : `/${collection}`;
      const reply = await send('POST', path, { body });
      if (reply.status !== 201) throw new Error(`create: ${reply.status} ${reply.text}`);
      return reply.json.data;
    },
  };
}

/** Creates a record for a tenant. Fails if the status is not 201. */
export function createFor(
  operator: Caller,
  owner: string,
  collection: CollectionName,
  body: JsonRecord = VALID_BODY[collection],
): Created {
  return operator.create(tenantPath(owner, collection), body);
}

export type ContractService = ReturnType<typeof serviceOn>;

interface Options {
  /** For tests that count everything in the service, or need a new database. */
  readonly ownService?: boolean;
  /** Environment variables, which replace those of the suite. */
  readonly settings?: Settings;
  /** Another host than that of this run, with a service of its own. */
  readonly host?: Host;
}

const hostOfRun = await currentHost();
/** The services of the current file, by their settings. */
const shared = new Map<string, ContractService>();

/**
 * Describes a behaviour of the contract on the host of this run. The tests of a file share one
 * service, because starting one takes longer than most tests; each has accounts of its own.
 */
export function describeContract(
  title: string,
  tests: (service: ContractService, host: Host) => void,
  { ownService = false, settings = {}, host = hostOfRun }: Options = {},
): void {
  const key = ownService || host !== hostOfRun ? title : JSON.stringify(settings);
  const service = shared.get(key) ?? serviceOn(host, settings);
  if (!shared.has(key)) {
    afterAll(() => {
      shared.delete(key);
      return service.close();
    });
  }
  shared.set(key, service);
  describe(title, () => {
    beforeAll(service.open);
    tests(service, host);
  });
}

/** The service under test, which a test finds open. */
function serviceOn(host: Host, settings: Settings) {
  let described = true;
  let running: RunningHost | undefined;
  let folder!: TestFolder;
  let identity!: IdentityStub;
  /** Sends a request to any path of the host, without credentials. */
  const fetch = async (path: string, init?: RequestInit): Promise<Response> => {
    if (running === undefined) throw new Error('the service is not open: use it inside a test');
    const response = await running.fetch(path, init);
    if (described) await expectDescribed(init?.method ?? 'GET', path, response.clone());
    return response;
  };
  const stop = async () => {
    await running?.close();
    running = undefined;
  };
  /** Stops the host and starts it again on the same state, its folder. */
  const restart = async (between?: (folder: string) => Promise<void>): Promise<void> => {
    await stop();
    await between?.(folder.path);
    const own = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
    running = await host.start(folder.path, { ...own, ...settings });
  };
  return {
    fetch,
    restart,
    get identity() {
      return identity;
    },
    /** An account; without a subject, a new one that no other test uses. */
    account: (subject = `account-${randomUUID()}`) => callerOf(fetch, subject, asAccount(subject)),
    anonymous: callerOf(fetch, '', {}),
    /** `subject` is empty. */
    operator: callerOf(fetch, '', { 'X-Service-Admin-Key': ADMIN_KEY }),
    /** Runs requests whose responses the OpenAPI document does not describe. */
    async withoutDocument<T>(act: () => Promise<T>): Promise<T> {
      described = false;
      return act().finally(() => {
        described = true;
      });
    },
    /** Stops the host, runs SQL on its database and starts it again. */
    restartChanged: (...statements: readonly string[]) =>
      restart((path) => host.changeDatabase(path, ...statements)),
    /** Does nothing if it is open already. */
    async open() {
      if (running !== undefined) return;
      folder = await openFolder();
      identity = await openIdentityStub();
      await restart();
    },
    async close() {
      await stop();
      await identity?.close();
      await folder?.remove();
    },
  };
}
