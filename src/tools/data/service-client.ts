// The operator's client for the commands: bounds responses, and retries idempotent calls after transient
// errors.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { boundedBody } from '../../core/bounded-body.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import { SettingError } from '../../hosts/settings/setting-error.js';
import { readSentAdminKey, readValues } from '../../hosts/settings.js';
import {
  ApiError,
  createOperatorClient,
  type OperatorClient,
  type OperatorClientOptions,
  type OperatorListQuery,
  type RecordCalls,
} from '../../operator-client.js';
import { type Call, Interrupted, UsageError } from '../program/command.js';
import { CommandError, describeError, isTransient } from './errors.js';

export const PAGE_SIZE = 50;
/** For a page of the largest records: those of earlier releases have up to 2 MiB, plus id and owner. */
const RESPONSE_MAX_BYTES = PAGE_SIZE * 2_200_000;
/** A proxy may ask for an unreasonable wait. */
const RETRY_AFTER_MAX_MS = 300_000;

const RETRY_DELAY_MIN_MS = 1_000;
const RETRY_DELAY_MAX_MS = 30_000;
/** Retries end after this time without success. */
const RETRY_MAX_MS = 600_000;

/** A record of any collection. */
export type StoredRecord = JsonObject & { readonly id: string };

/** `baseUrl` includes `/api/v1`. */
export type Target = Pick<OperatorClientOptions, 'baseUrl' | 'adminKey'>;

export class ServiceClient {
  readonly client: OperatorClient;
  readonly #call: Pick<Call, 'interrupted' | 'err'>;

  /** `work`: names the run in the audit events of its changes. */
  constructor(target: Target, call: Pick<Call, 'interrupted' | 'err'>, work?: 'import' | 'erase') {
    this.#call = call;
    const run = work && `${work}-${randomBytes(8).toString('hex')}`;
    this.client = createOperatorClient({
      ...target,
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        if (run !== undefined) headers.set('X-Service-Run', run);
        return boundedFetch(url, { ...init, headers });
      },
    });
  }

  /** To be called first. Rejects without retries if the service is unreachable. */
  async checkReachable(): Promise<void> {
    const call = () => this.client.health({ signal: this.#call.interrupted });
    await this.withRetry(call, (error) => isTransient(error) && error.status !== undefined);
  }

  /**
   * Retries until the call succeeds, fails with an error that is not `isRetryable`, or has failed for
   * `RETRY_MAX_MS`. The call must be idempotent after such an error. Rejects with `Interrupted` after
   * Ctrl-C.
   */
  async withRetry<T>(
    call: () => Promise<T>,
    isRetryable: (error: unknown) => boolean = isTransient,
  ): Promise<T> {
    const { interrupted, err } = this.#call;
    const start = Date.now();
    for (let retries = 0; ; retries++) {
      if (interrupted.aborted) throw new Interrupted('stopped');
      try {
        return await call();
      } catch (error) {
        if (interrupted.aborted) continue;
        if (!(error instanceof ApiError && isRetryable(error))) throw error;
        const sentence = describeError(error);
        if (Date.now() - start > RETRY_MAX_MS) {
          throw new CommandError(
            `the service has not recovered for ${RETRY_MAX_MS / 60_000} minutes: ${sentence}`,
          );
        }
        const milliseconds = retryDelayMs(retries, error.retryAfterMs);
        err(`${sentence}\nretrying in ${(milliseconds / 1000).toFixed(1)} s\n`);
        await delay(milliseconds, undefined, { signal: interrupted }).catch(() => {});
      }
    }
  }
}

/** The delay before a retry in milliseconds: the response's `Retry-After`, otherwise exponential backoff. */
export function retryDelayMs(
  retries: number,
  askedMs = Math.min(RETRY_DELAY_MIN_MS * 2 ** retries, RETRY_DELAY_MAX_MS),
): number {
  return Math.min(askedMs, RETRY_AFTER_MAX_MS);
}

export function recordsOf(client: OperatorClient, account: string, collection: CollectionName) {
  const records: unknown = client.recordsOf(account)[collection];
  return records as RecordCalls<JsonObject, StoredRecord, OperatorListQuery>;
}

/** `fetch` for a client with the admin key. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const body = await boundedBody(response.body, RESPONSE_MAX_BYTES);
  if (body !== undefined) return new Response(body, response);
  // The client rethrows an ApiError instead of reporting a lost connection.
  throw new ApiError('UNEXPECTED_ANSWER', `the response has more than ${RESPONSE_MAX_BYTES} bytes`);
}

/** From the environment, never from an option, because any user of a machine can read the arguments of processes. */
export function adminKeyIn(environment: Call['environment']): string {
  return readSentAdminKey(environment, (path) => readFileSync(path, 'utf8'));
}

/**
 * Validates an address that the admin key is sent to by the rule of the setting SERVICE_URL: https, or
 * http on loopback. Returns it without a trailing slash. Throws a `UsageError`. `name`: of the setting or
 * option.
 */
export function serviceUrl(text: string, name: string): string {
  try {
    return readValues({ SERVICE_URL: text }, ['SERVICE_URL']).SERVICE_URL;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new UsageError(error.message.replace('SERVICE_URL', name));
  }
}
