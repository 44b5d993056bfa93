// The requests of a contract test to the service, the same on every host.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, TestRunner } from 'vitest';
import {
  FIRST_HOSTS,
  HOSTS,
  type Host,
  oneHostForEachStorage,
  type RunningHost,
  type Settings,
} from './hosts.js';
import { asAccount, type IdentityStub, openIdentityStub } from './identity-stub.js';
import { expectDescribed } from './openapi-document.js';
import { openTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

export const ADMIN_KEY = 'the-operator-key-of-the-contract-suite';
const PREFIX = '/api/v1';

export type JsonRecord = Record<string, unknown>;

export type Reply = Awaited<ReturnType<typeof replyOf>>;

/** An answer's body. */
export interface Envelope {
  // biome-ignore lint/suspicious/noExplicitAny: a record, a row, a view or a list; assertions judge it
  readonly data?: any;
  readonly error?: { readonly code: string; readonly message: string };
  readonly meta: {
    readonly request_id: string;
    readonly timestamp: string;
    /** Of lists only. */
    readonly pagination: Readonly<Record<'page' | 'page_size' | 'total' | 'total_pages', number>>;
  };
}

/** A response with its body. `json` is the parsed envelope, or `{}` if the body is empty. */
export async function replyOf(response: Response) {
  const { status, headers } = response;
  const text = await response.text();
  const json: Envelope = text === '' ? {} : JSON.parse(text);
  return { status, headers, text, json };
}

/** `body`: sent as JSON; a string or bytes are sent as they are. */
type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export type Caller = ReturnType<typeof callerOf>;

/** The requests of one caller. Paths are relative to `/api/v1`. */
function callerOf(
  fetch: RunningHost['fetch'],
  subject: string,
  credentials: Readonly<Record<string, string>>,
) {
  const send = async (method: string, path: string, { headers, body }: Sent = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const init = { method, headers: { ...credentials, ...headers } };
    const sent = body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) };
    const reply = await replyOf(await fetch(PREFIX + path, { ...init, ...sent }));
    expect(reply.json.error?.message, 'an error says what is wrong').not.toBe('');
    return reply;
  };
  return {
    subject,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body: unknown) => send('POST', path, { body }),
    patch: (path: string, body: unknown) => send('PATCH', path, { body }),
    delete: (path: string) => send('DELETE', path),
    /** Creates a record and returns it. Fails if the answer is not 201. */
    async create(collection: string, body: JsonRecord): Promise<JsonRecord & { id: string }> {
      const reply = await send('POST', `/${collection}`, { body });
      if (reply.status !== 201) throw new Error(`create: ${reply.status} ${reply.text}`);
      return reply.json.data;
    },
  };
}

export type ContractService = ReturnType<typeof serviceOn>;

/** A `fetch` for the clients under test: sends every request to the service, whatever its origin. */
export function serviceFetch({ fetch }: ContractService) {
  return (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    return fetch(pathname + search, init);
  };
}

type Tests = (service: ContractService, host: Host) => void;
interface Options {
  /** For tests that count everything in the service, or need a new database. */
  readonly isOwn?: boolean;
  /** Environment variables, which replace those of the suite. */
  readonly settings?: Settings;
}

/**
 * Describes the behaviour once for every host. The tests of a file share a service for
 * each host, because starting one takes longer than most tests; each has accounts of its own.
 */
export function onEveryHost(
  title: string,
  tests: Tests,
  { isOwn = false, settings = {} }: Options = {},
  hosts = HOSTS,
): void {
  // A file's service ends with the file, so it cannot start within a `describe`.
  const isShared = !isOwn && TestRunner.getCurrentSuite().name === '';
  for (const host of hosts) {
    const service = isShared ? sharedService(host, settings) : serviceOn(host, settings);
    describe(`${title} — ${host.name}`, () => {
      beforeAll(() => service.open());
      if (!isShared) afterAll(() => service.close());
      tests(service, host);
    });
  }
}

/** Like `onEveryHost`, once for each kind of storage: for behaviours that HTTP cannot change. */
export function onEveryStorage(title: string, tests: Tests, options?: Options): void {
  onEveryHost(title, tests, options, oneHostForEachStorage());
}

/** Like `onEveryHost`, on the first host: for settings that one function reads on all hosts. */
export function onFirstHost(title: string, tests: Tests, options?: Options): void {
  onEveryHost(title, tests, options, FIRST_HOSTS);
}

/** Describes a behaviour of one host, with a service of its own. */
export function onHost(host: Host, title: string, tests: Tests, settings?: Settings): void {
  onEveryHost(title, tests, { isOwn: true, ...(settings && { settings }) }, [host]);
}

/** The services of the current test file, by host and settings. */
const shared = new Map<string, ContractService>();

function sharedService(host: Host, settings: Settings): ContractService {
  const key = JSON.stringify([host.name, settings]);
  const known = shared.get(key);
  if (known !== undefined) return known;
  const service = serviceOn(host, settings);
  shared.set(key, service);
  afterAll(() => {
    shared.delete(key);
    return service.close();
  });
  return service;
}

/** The service under test, which a test finds open. */
function serviceOn(host: Host, settings: Settings) {
  let described = true;
  let running: RunningHost | undefined;
  let folder!: TemporaryFolder;
  let identity!: IdentityStub;
  /** Sends a request to any path of the host, without credentials. */
  const fetch = async (path: string, init?: RequestInit): Promise<Response> => {
    if (running === undefined) throw new Error('the service is not open: use it inside a test');
    const response = await running.fetch(path, init);
    if (described) await expectDescribed(init?.method ?? 'GET', path, response.clone());
    return response;
  };
  /** Stops the host and starts it again on the same state. */
  const restart = async (between = async () => {}): Promise<void> => {
    await running?.close();
    running = undefined;
    await between();
    const own = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
    running = await host.start(folder.path, { ...own, ...settings });
  };
  return {
    fetch,
    restart,
    get identity() {
      return identity;
    },
    /** The folder of the host's state. */
    get folder() {
      return folder.path;
    },
    /** An account. Without a subject it is a new one that no other test has. */
    account: (subject = `account-${randomUUID()}`) => callerOf(fetch, subject, asAccount(subject)),
    anonymous: callerOf(fetch, '', {}),
    /** `subject` is empty. */
    operator: callerOf(fetch, '', { 'X-Service-Admin-Key': ADMIN_KEY }),
    /** Runs requests whose answers the OpenAPI document does not describe. */
    async undescribed<T>(act: () => Promise<T>): Promise<T> {
      described = false;
      return act().finally(() => {
        described = true;
      });
    },
    /** Stops the host and runs SQL on the database of the account's records. The account must have written a record. */
    restartChanged: ({ subject }: Caller, ...statements: readonly string[]) =>
      restart(() => host.changeDatabase(folder.path, subject, ...statements)),
    /** Does nothing if it is open already. */
    async open() {
      if (running !== undefined) return;
      folder = await openTemporaryFolder();
      identity = await openIdentityStub();
      await restart();
    },
    async close() {
      await running?.close();
      await identity?.close();
      await folder?.remove();
    },
  };
}
