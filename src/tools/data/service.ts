// The service as the commands use it: the operator's client, with bounded responses and
// without redirects. Idempotent calls are retried after transient failures.

import { readFileSync } from 'node:fs';
import { boundedBody } from '../../core/bounded-body.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import { SettingError } from '../../hosts/settings/setting-error.js';
import { readSentAdminKey, valuesIn } from '../../hosts/settings.js';
import {
  ApiError,
  createOperatorClient,
  type OperatorClient,
  type OperatorListQuery,
  type RecordCalls,
} from '../../operator-client.js';
import { type Call, Interrupted, pause, UsageError, type Waits } from '../program/command.js';
import { CommandError, isTransient, sentenceOf } from './failures.js';

/** Rows of a page. */
export const PAGE_SIZE = 50;
/** The largest records still fit: one of an earlier release has up to 2 MiB, and its id and owner. */
const RESPONSE_MAX_BYTES = PAGE_SIZE * 2_200_000;
/** A proxy may ask for a longer wait than is sensible. */
const RETRY_AFTER_MAX_MS = 300_000;

export const WAITS: Waits = {
  firstMs: 1_000,
  maxMs: 30_000,
  patienceMs: 600_000,
  timeoutMs: 30_000,
};

/** A record of any collection. */
export type StoredRecord = JsonObject & { readonly id: string };

/** Any collection of an account. */
export type Records = RecordCalls<JsonObject, StoredRecord, OperatorListQuery>;

export interface Target {
  /** Includes `/api/v1`. */
  readonly baseUrl: string;
  readonly adminKey: string;
}

export class Service {
  readonly client: OperatorClient;
  readonly #waits: Waits;
  readonly #call: Call;

  /** `work`: names this run in the audit events of its changes. */
  constructor(target: Target, call: Call, work?: 'import' | 'erase') {
    const { waits = WAITS, randomBytes } = call;
    this.#waits = waits;
    this.#call = call;
    const run = work && `${work}-${Buffer.from(randomBytes(8)).toString('hex')}`;
    this.client = createOperatorClient({
      ...target,
      timeoutMs: waits.timeoutMs,
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        if (run !== undefined) headers.set('X-Service-Run', run);
        return boundedFetch(url, { ...init, headers });
      },
    });
  }

  records(account: string, collection: CollectionName): Records {
    return recordsOf(this.client, account, collection);
  }

  /** The first call. Rejects at once, without retries, if the service is unreachable. */
  async reach(): Promise<void> {
    const call = () => this.client.health({ signal: this.#call.interrupted });
    await this.withRetry(call, (error) => isTransient(error) && error.status !== undefined);
  }

  /**
   * Retries until the call succeeds, fails with another error than `isRetryable`, or has failed for
   * `waits.patienceMs`. The call must be idempotent after such an error. Waits as long as the
   * response asks for, else with exponential backoff. Rejects with `Interrupted` after Ctrl-C.
   */
  async withRetry<T>(
    call: () => Promise<T>,
    isRetryable: (error: unknown) => boolean = isTransient,
  ): Promise<T> {
    const { interrupted, now, err } = this.#call;
    const { patienceMs } = this.#waits;
    const delayAfter = backoff(this.#waits);
    const start = now();
    for (;;) {
      if (interrupted.aborted) throw new Interrupted('stopped');
      try {
        return await call();
      } catch (error) {
        if (interrupted.aborted) continue;
        if (!(error instanceof ApiError && isRetryable(error))) throw error;
        const sentence = sentenceOf(error);
        if (now() - start > patienceMs) {
          throw new CommandError(
            `the service has not recovered for ${Math.round(patienceMs / 60_000)} minutes: ${sentence}`,
            { cause: error },
          );
        }
        const milliseconds = delayAfter(error.retryAfterMs);
        err(`${sentence}\nwaiting ${(milliseconds / 1000).toFixed(1)} s before the next try\n`);
        await pause(milliseconds, interrupted);
      }
    }
  }
}

/** The milliseconds before each retry: what the response asks for, else exponential. */
export function backoff({ firstMs, maxMs }: Waits): (retryAfterMs?: number) => number {
  let next = firstMs;
  return (retryAfterMs = next) => {
    next = Math.min(2 * next, maxMs);
    return Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  };
}

export function recordsOf(client: OperatorClient, account: string, collection: CollectionName) {
  const records: unknown = client.recordsOf(account)[collection];
  return records as Records;
}

/** `fetch` for a client with the admin key. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const body = await boundedBody(response.body, RESPONSE_MAX_BYTES);
  if (body !== undefined) return new Response(body, response);
  // The client passes this error on instead of reporting a lost connection.
  throw new ApiError('UNEXPECTED_ANSWER', 'the response is longer than this program reads');
}

/** Throws a `SettingError` or a `UsageError` that names the setting, and never contains the key. */
export function readTarget({ environment }: Pick<Call, 'environment'>): Target {
  const baseUrl = serviceUrl(environment['SERVICE_URL'] ?? '', 'SERVICE_URL');
  return { baseUrl, adminKey: adminKeyIn(environment) };
}

/** From the environment, never from a flag: any user of a machine can read its processes' arguments. */
export function adminKeyIn(environment: Call['environment']): string {
  return readSentAdminKey(environment, (path) => readFileSync(path, 'utf8'));
}

/**
 * An address that the admin key may be sent to, by the rule of the setting SERVICE_URL: https, or
 * http on loopback. Returned without a trailing slash. Throws a `UsageError`; `name`: of the setting
 * or option.
 */
export function serviceUrl(text: string, name: string): string {
  try {
    return valuesIn({ SERVICE_URL: text }, ['SERVICE_URL']).SERVICE_URL;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new UsageError(error.message.replace('SERVICE_URL', name));
  }
}
