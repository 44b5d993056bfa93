// The requests of a contract test to the service, the same on every host.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, TestRunner } from 'vitest';
import { expectDescribed } from './described-answer.js';
import type { Host, HostOptions, RunningHost } from './host.js';
import { FIRST_HOSTS, HOSTS, oneHostForEachStorage } from './hosts.js';
import { asAccount, type IdentityStub, openIdentityStub } from './identity-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

export const ADMIN_KEY = 'the-operator-key-of-the-contract-suite';
const PREFIX = '/api/v1';

export type JsonRecord = Record<string, unknown>;

/** A response with its body. `json` is the parsed envelope, or `{}` if the body is empty. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Envelope;
}

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

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const json: Envelope = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
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

/** `isOwn`: for tests that count everything in the service, or need a new database. */
type ServiceOptions = Partial<HostOptions> & { readonly isOwn?: boolean };

export type ContractService = Omit<RunningService, 'open' | 'close' | 'resetOptions'>;

/** A `fetch` for the clients under test: sends every request to the service, whatever its origin. */
export function serviceFetch({ fetch }: ContractService) {
  return (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    return fetch(pathname + search, init);
  };
}

type Tests = (service: ContractService, host: Host) => void;

/**
 * Describes the behaviour once for every host. The tests of a file share a service for
 * each host, because starting one takes longer than most tests; each has accounts of its own.
 */
export function onEveryHost(
  title: string,
  tests: Tests,
  { isOwn = false, ...options }: ServiceOptions = {},
  hosts: readonly Host[] = HOSTS,
): void {
  // A file's service ends with the file, so it cannot begin within a description.
  const isShared = !isOwn && TestRunner.getCurrentSuite().name === '';
  for (const host of hosts) {
    if (!isShared) onHost(host, title, tests, options);
    else describeOn(sharedService(host, options), host, title, tests, 'resetOptions');
  }
}

/** Like `onEveryHost`, once for each kind of storage: for behaviours that HTTP cannot change. */
export function onEveryStorage(title: string, tests: Tests, options: ServiceOptions = {}): void {
  onEveryHost(title, tests, options, oneHostForEachStorage());
}

/** Like `onEveryHost`, on the first host: for settings that one function reads on all hosts. */
export function onFirstHost(title: string, tests: Tests, options: ServiceOptions = {}): void {
  onEveryHost(title, tests, options, FIRST_HOSTS);
}

/** Describes a behaviour of one host, with a service of its own. */
export function onHost(
  host: Host,
  title: string,
  tests: Tests,
  options: Partial<HostOptions> = {},
): void {
  describeOn(new RunningService(host, options), host, title, tests, 'close');
}

function describeOn(
  service: RunningService,
  host: Host,
  title: string,
  tests: Tests,
  end: 'close' | 'resetOptions',
): void {
  describe(`${title} — ${host.name}`, () => {
    beforeAll(() => service.open());
    afterAll(() => service[end]());
    tests(service, host);
  });
}

/** The services of the test file that is under way, by host and options. */
const shared = new Map<string, RunningService>();

function sharedService(host: Host, options: Partial<HostOptions>): RunningService {
  const key = JSON.stringify([host.name, ...Object.entries(options).map(String)]);
  if (shared.size === 0) {
    afterAll(async () => {
      const services = [...shared.values()];
      shared.clear();
      await Promise.all(services.map((service) => service.close()));
    });
  }
  const service = shared.get(key) ?? new RunningService(host, options);
  shared.set(key, service);
  return service;
}

/** The service under test. */
class RunningService {
  readonly #host: Host;
  readonly #firstOptions: Partial<HostOptions>;
  #options: Partial<HostOptions>;
  #described = true;
  #running: RunningHost | undefined;
  #folder: TemporaryFolder | undefined;
  #identity: IdentityStub | undefined;

  constructor(host: Host, options: Partial<HostOptions>) {
    this.#host = host;
    this.#firstOptions = options;
    this.#options = options;
  }

  get identity(): IdentityStub {
    return opened(this.#identity);
  }

  /** The folder of the host's state. */
  get folder(): string {
    return opened(this.#folder).path;
  }

  /** An account. Without a subject it is a new one that no other test has. */
  account(subject = `account-${randomUUID()}`): Caller {
    return callerOf(this.fetch, subject, asAccount(subject));
  }

  /** Sends a request to any path of the host, without credentials. */
  readonly fetch = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await opened(this.#running).fetch(path, init);
    if (!this.#described) return response;
    await expectDescribed(init?.method ?? 'GET', path, response.clone());
    return response;
  };

  readonly anonymous = callerOf(this.fetch, '', {});
  /** `subject` is empty. */
  readonly operator = callerOf(this.fetch, '', { 'X-Service-Admin-Key': ADMIN_KEY });

  /** Runs requests whose answers the OpenAPI document does not describe. */
  async undescribed<T>(act: () => Promise<T>): Promise<T> {
    this.#described = false;
    try {
      return await act();
    } finally {
      this.#described = true;
    }
  }

  /** Stops the host and starts it again on the same state, with other options if they are given. */
  async restart(options: Partial<HostOptions> = {}, between = async () => {}): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
    await between();
    if (Object.keys(options).length > 0) this.#options = { ...this.#options, ...options };
    await this.#start();
  }

  /** Stops the host and runs SQL on the database of the account's records. The account must have written a record. */
  restartChanged({ subject }: Caller, ...statements: readonly string[]): Promise<void> {
    const change = () => this.#host.changeDatabase(this.folder, subject, ...statements);
    return this.restart({}, change);
  }

  /** Does nothing if it is open already. */
  async open(): Promise<void> {
    if (this.#running !== undefined) return;
    this.#folder = await openTemporaryFolder();
    this.#identity = await openIdentityStub();
    await this.#start();
  }

  /** A restart with other options must not reach the tests that come next. */
  async resetOptions(): Promise<void> {
    if (this.#options !== this.#firstOptions) await this.close();
    this.#options = this.#firstOptions;
  }

  async close(): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
    await this.#identity?.close();
    await this.#folder?.remove();
  }

  async #start(): Promise<void> {
    this.#running = await this.#host.start({
      folder: this.folder,
      userinfoUrl: this.identity.url,
      adminKey: ADMIN_KEY,
      corsAllowedOrigins: [],
      sampleRecords: true,
      ...this.#options,
    });
  }
}

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the service is not open: use it inside a test');
  return part;
}
