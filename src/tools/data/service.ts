// The service as the commands use it: the operator's client, with answers of bounded
// length and without redirects. Reads that fail for a short time are repeated.

import { boundedBody } from '../../core/bounded-body.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import {
  ApiError,
  createOperatorClient,
  type OperatorClient,
  type Page,
} from '../../operator-client.js';
import type { CommandDependencies, Waits } from '../program/command-dependencies.js';
import { CommandError, isPassing, sentenceOf } from './failures.js';
import type { Target } from './target.js';
import { expectGoingOn, patiently, startWaiting, WAITS, type Waiting } from './waiting.js';

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
    return patiently(call, this.startWaiting(), mayPass, this.#dependencies);
  }

  /** Growing waits. If they do not help for too long, they end with a `CommandError`. */
  startWaiting(): Waiting<ApiError> {
    return startWaiting(this.#dependencies, this.waits, sentenceOf);
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
