// The service as the commands use it: the operator's client, with bounded responses and
// no redirects. Idempotent calls are retried after transient failures.

import { readFileSync } from 'node:fs';
import { boundedBody } from '../../core/bounded-body.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import { readSentAdminKey } from '../../hosts/settings.js';
import {
  ApiError,
  createOperatorClient,
  type OperatorClient,
  type OperatorListQuery,
  type RecordCalls,
} from '../../operator-client.js';
import { type Call, Interrupted, pause, UsageError, type Waits } from '../program/command.js';
import { CommandError, isPassing, sentenceOf } from './failures.js';

const DEFAULT_URL = 'http://127.0.0.1:8080/api/v1';
/** A longer page is not kept in memory; the caller asks for smaller ones. A record has at most 2 MiB. */
const ANSWER_MAX_BYTES = 8 * 1_048_576;

/** A record of any collection. */
export type StoredRecord = JsonObject & { readonly id: string };

/** Any collection of an account. */
export type Records = RecordCalls<JsonObject, StoredRecord, OperatorListQuery>;

/** From the environment, never from a flag: any user of a machine can read the arguments of its processes. */
export interface Target {
  /** Includes `/api/v1`. */
  readonly baseUrl: string;
  readonly adminKey: string;
}

const TOO_LONG = new Error(`the answer is longer than ${ANSWER_MAX_BYTES} bytes`);

/** The client passes this error on instead of reporting a lost connection. */
export function tooLong(): Error {
  return new ApiError('UNEXPECTED_ANSWER', TOO_LONG.message, { cause: TOO_LONG });
}

/** Whether a call failed because its answer was too long, and a smaller page may be asked for. */
export function isTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.cause === TOO_LONG;
}

/** The id of an import or an erasure, in its audit events. */
export function runId(work: 'import' | 'erase', { randomBytes }: Call): string {
  return `${work}-${Buffer.from(randomBytes(8)).toString('hex')}`;
}

export class Service {
  readonly client: OperatorClient;
  readonly target: Target;
  readonly waits: Waits;
  readonly #dependencies: Call;

  /** `run`: the id of the import or erasure, for the audit events of its changes. */
  constructor(target: Target, dependencies: Call, run?: string) {
    this.target = target;
    this.waits = dependencies.waits ?? WAITS;
    this.#dependencies = dependencies;
    this.client = createOperatorClient({
      ...target,
      timeoutMs: this.waits.timeoutMs,
      fetch: (url, init) => boundedFetch(url, init, run),
    });
  }

  /** The same service, for the changes of one import or erasure. */
  forRun(run: string): Service {
    return new Service(this.target, this.#dependencies, run);
  }

  records(account: string, collection: CollectionName): Records {
    const records: unknown = this.client.recordsOf(account)[collection];
    return records as Records;
  }

  /** The first call. Rejects at once, without retries, if the service is unreachable. */
  async reach(): Promise<void> {
    const call = () => this.client.health({ signal: this.#dependencies.interrupted });
    const isBusy = (error: unknown): error is ApiError =>
      isPassing(error) && error.status !== undefined;
    await this.patiently(call, isBusy);
  }

  /**
   * Resolves when unanswered writes have succeeded or failed. The health check queues in the
   * database behind all earlier writes, so later reads see them.
   */
  async writesDecided(): Promise<void> {
    const expectHealth = () =>
      this.patiently(async () => {
        const { database } = await this.client.health();
        if (database === 'ok') return;
        const message = 'the service cannot reach its database';
        throw new ApiError('STORAGE_FAILED', message, { status: 503 });
      });
    await expectHealth();
    await pause(this.waits.onItsWayMs, this.#dependencies.interrupted);
    await expectHealth();
  }

  /**
   * Retries a call until it succeeds, fails permanently, or has failed for `waits.patienceMs`. The
   * call must be idempotent.
   */
  async patiently<T>(
    call: () => Promise<T>,
    mayPass: (error: unknown) => error is ApiError = isPassing,
  ): Promise<T> {
    const { interrupted } = this.#dependencies;
    const wait = this.startWaiting();
    for (;;) {
      if (interrupted.aborted) throw new Interrupted('stopped');
      try {
        return await call();
      } catch (error) {
        if (mayPass(error)) await wait(error);
        else if (!interrupted.aborted) throw error;
      }
    }
  }

  /** Exponential backoff, or the wait that a response asks for. Rejects after `waits.patienceMs`. */
  startWaiting() {
    const { interrupted, now, err } = this.#dependencies;
    const { firstMs, maxMs, patienceMs } = this.waits;
    const begun = now();
    let next = firstMs;
    return async (error: ApiError) => {
      const sentence = sentenceOf(error);
      if (now() - begun > patienceMs) {
        const minutes = Math.round(patienceMs / 60_000);
        throw new CommandError(
          `the service has not recovered for ${minutes} minutes: ${sentence}`,
          { cause: error },
        );
      }
      const milliseconds = Math.min(error.retryAfterMs ?? next, RETRY_AFTER_MAX_MS);
      next = Math.min(2 * next, maxMs);
      err(`${sentence}\nwaiting ${(milliseconds / 1000).toFixed(1)} s before the next try\n`);
      await pause(milliseconds, interrupted);
    };
  }
}

async function boundedFetch(url: string, init: RequestInit, run?: string): Promise<Response> {
  const headers = new Headers(init.headers);
  if (run !== undefined) headers.set('X-Service-Run', run);
  // The key must not follow a redirect to another host.
  const response = await fetch(url, { ...init, headers, redirect: 'manual' });
  if (init.method !== 'GET' || response.body === null) return response;
  const body = await boundedBody(response.body, ANSWER_MAX_BYTES);
  if (body === undefined) throw tooLong();
  return new Response(body, response);
}

/** A proxy may ask for a longer wait than is sensible. */
const RETRY_AFTER_MAX_MS = 300_000;

export const WAITS: Waits = {
  firstMs: 1_000,
  maxMs: 30_000,
  patienceMs: 600_000,
  timeoutMs: 30_000,
  onItsWayMs: 2_000,
};

/** Throws a usage error that names the setting, and never contains the key. */
export function readTarget({ environment }: Pick<Call, 'environment'>): Target {
  const baseUrl = plainUrl('SERVICE_URL', environment['SERVICE_URL'] || DEFAULT_URL, DEFAULT_URL);
  return { baseUrl, adminKey: adminKeyIn(environment) };
}

/** Throws a usage error that names the setting, but never contains the key. */
export function adminKeyIn(environment: Call['environment']): string {
  return readSentAdminKey(environment, (path) => readFileSync(path, 'utf8'));
}

/** Returns the address without a trailing slash. Throws a `UsageError` that names the setting or option. */
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
