// The service as the commands use it: the operator's client, with answers of bounded
// length and without redirects. Reads that fail for a short time are repeated.

import { readFileSync } from 'node:fs';
import { boundedBody } from '../../core/bounded-body.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import { readSentAdminKey } from '../../hosts/settings.js';
import {
  ApiError,
  createOperatorClient,
  type OperatorClient,
  type Page,
} from '../../operator-client.js';
import type { CommandDependencies, Waits } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';
import { CommandError, isPassing, sentenceOf } from './failures.js';
import { expectGoingOn, patiently, startWaiting, WAITS, type Wait } from './waiting.js';

const DEFAULT_URL = 'http://127.0.0.1:8080/api/v1';
/** A longer page is not kept in memory; the caller asks for smaller pages. One record has at most 2 MiB. */
const ANSWER_MAX_BYTES = 8 * 1_048_576;

/** A record of any collection. */
export type StoredRecord = JsonObject & { readonly id: string };

/** Any collection of an account. */
export interface Records {
  list(query: { readonly page?: number; readonly page_size: number }): Promise<Page<StoredRecord>>;
  create(body: JsonObject): Promise<StoredRecord>;
  delete(id: string): Promise<unknown>;
}

/** From the environment, never from a flag: any user of a machine can read the flags of a running program. */
export interface Target {
  /** Includes `/api/v1`. */
  readonly baseUrl: string;
  readonly adminKey: string;
}

const TOO_LONG = new Error(`the answer is longer than ${ANSWER_MAX_BYTES} bytes`);

/** The client passes this error on and does not take it for a lost connection. */
export function tooLong(): Error {
  return new ApiError('UNEXPECTED_ANSWER', TOO_LONG.message, { cause: TOO_LONG });
}

/** Whether a call failed because its answer was too long, and a smaller page may be asked for. */
export function isTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.cause === TOO_LONG;
}

/** The id of an import or an erasure, in its audit events. */
export function runId(work: 'import' | 'erase', { randomBytes }: CommandDependencies): string {
  return `${work}-${Buffer.from(randomBytes(8)).toString('hex')}`;
}

export class Service {
  readonly client: OperatorClient;
  readonly baseUrl: string;
  readonly #target: Target;
  readonly #dependencies: CommandDependencies;
  readonly waits: Waits;

  /** `run`: the import or erasure to which the changes belong, as their audit events name it. */
  constructor(
    target: Target,
    dependencies: CommandDependencies,
    waits: Waits = dependencies.waits ?? WAITS,
    run?: string,
  ) {
    this.baseUrl = target.baseUrl;
    this.#target = target;
    this.#dependencies = dependencies;
    this.waits = waits;
    this.client = createOperatorClient({
      ...target,
      timeoutMs: waits.timeoutMs,
      fetch: (url, init) => boundedFetch(url, init, run),
    });
  }

  /** The same service, for the changes of one import or erasure. */
  forRun(run: string): Service {
    return new Service(this.#target, this.#dependencies, this.waits, run);
  }

  records(account: string, collection: CollectionName): Records {
    return this.client.recordsOf(account)[collection] as unknown as Records;
  }

  /** The first call. If the service cannot be reached at all, the command ends at once and does not wait. */
  async reach(): Promise<void> {
    try {
      await this.client.health({ signal: this.#dependencies.interrupted });
    } catch (error) {
      expectGoingOn(this.#dependencies.interrupted);
      const isAway = error instanceof ApiError && error.status === undefined;
      if (isAway || !isPassing(error)) throw new CommandError(sentenceOf(error), { cause: error });
      await this.patiently(() => this.client.health());
    }
  }

  /** The call must be safe to repeat. */
  patiently<T>(call: () => Promise<T>): Promise<T> {
    return patiently(call, this.#dependencies, this.waits, mayPass);
  }

  /** Growing waits. If they do not help for too long, they end with a `CommandError`. */
  startWaiting(): Wait {
    return startWaiting(this.#dependencies, this.waits);
  }
}

/** A page that is too long stays so, whatever its status. */
function mayPass(error: unknown): error is ApiError {
  return !isTooLong(error) && isPassing(error);
}

async function boundedFetch(
  url: string,
  init: RequestInit,
  run: string | undefined,
): Promise<Response> {
  const sent = new Headers(init.headers);
  if (run !== undefined) sent.set('X-Service-Run', run);
  // The key must not follow a redirect to another host.
  const response = await fetch(url, { ...init, headers: sent, redirect: 'manual' });
  if (init.method !== 'GET' || response.body === null) return response;
  const body = await boundedBody(response.body, ANSWER_MAX_BYTES);
  if (body === undefined) throw tooLong();
  const { status, headers } = response;
  return new Response(body, { status, headers });
}

/** Throws a usage error that names the setting. The key is in no message. */
export function readTarget({ environment }: Pick<CommandDependencies, 'environment'>): Target {
  const baseUrl = plainUrl('SERVICE_URL', environment['SERVICE_URL'] || DEFAULT_URL, DEFAULT_URL);
  return { baseUrl, adminKey: adminKeyIn(environment) };
}

/** Throws a usage error that names the setting, and never holds the key. */
export function adminKeyIn(environment: CommandDependencies['environment']): string {
  return readSentAdminKey(environment, (path) => readFileSync(path, 'utf8'));
}

/** Returns the address without a slash at its end. Throws a `UsageError` that names the setting or option. */
export function plainUrl(name: string, text: string, example: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable =
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username + url.password + url.search + url.hash === '';
  if (url === undefined || !isUsable) {
    throw new UsageError(
      `${name} is not a plain http or https address; it must be one such as ${example}, without user, password or query`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
