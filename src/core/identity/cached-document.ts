// A document of the provider (its discovery document, its keys): fetched when
// it is needed, kept while it is fresh, and for a bounded time when the provider fails.

import { boundedBody } from '../bounded-body.js';
import { networkCode } from './network-code.js';
import { parsed } from './provider-answer.js';

const DOCUMENT_MAX_BYTES = 262_144;
const FRESH_MS = 600_000;
/** How long the last good document serves while a new one cannot be had. */
const KEPT_MS = 3_600_000;
/** Pause after a failure while an older document still serves. */
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** Pause after a failure without an older document: short, because callers wait for one. */
const PAUSE_WITHOUT_DOCUMENT_MS = 1_000;

export interface CachedDocumentOptions<T> {
  /** What a message calls it, such as `the keys`. */
  readonly name: string;
  readonly url: (signal: AbortSignal) => Promise<string>;
  /** Throws a `DocumentError` where the JSON is not such a document. */
  readonly read: (json: unknown) => T;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Whether callers share one fetch; not where the platform ties an exchange to one request. */
  readonly joined: boolean;
}

interface DocumentErrorOptions extends ErrorOptions {
  readonly status?: number;
  readonly remedy?: string;
}

/**
 * Why a document cannot be had, in words that hold no secret. `cause` is the network's error,
 * if it was that; `status` the answer's, if it was not 200; `remedy` is what the operator can
 * do, where the error itself tells it.
 */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly status: number | undefined;
  readonly remedy: string | undefined;

  constructor(message: string, options: DocumentErrorOptions = {}) {
    super(message, options);
    this.status = options.status;
    this.remedy = options.remedy;
  }
}

export class CachedDocument<T> {
  readonly #options: CachedDocumentOptions<T>;
  #good: { readonly value: T; readonly at: number } | undefined;
  #failure: { readonly error: DocumentError; readonly at: number } | undefined;
  #underWay: Promise<T> | undefined;

  constructor(options: CachedDocumentOptions<T>) {
    this.#options = options;
  }

  /** The document; the last good one where a new one cannot be had. Rejects with a `DocumentError`, or the signal's reason. */
  async get(signal: AbortSignal): Promise<T> {
    const good = this.#good;
    const now = this.#options.clock();
    if (good !== undefined && isWithin(FRESH_MS, good.at, now)) return good.value;
    const kept = good !== undefined && isWithin(KEPT_MS, good.at, now) ? good : undefined;
    if (kept === undefined) {
      this.#refuseWhileFailing(PAUSE_WITHOUT_DOCUMENT_MS, now);
      return this.#fetched(signal);
    }
    try {
      this.#refuseWhileFailing(PAUSE_AFTER_FAILURE_MS, now);
      return await this.#fetched(signal);
    } catch {
      return kept.value;
    }
  }

  /** A document that is younger than `ageMs`, such as after a key that it does not hold. Rejects as `get` does. */
  async atMost(ageMs: number, signal: AbortSignal): Promise<T> {
    const good = this.#good;
    const now = this.#options.clock();
    if (good !== undefined && isWithin(ageMs, good.at, now)) return good.value;
    this.#refuseWhileFailing(PAUSE_AFTER_FAILURE_MS, now);
    return this.#fetched(signal);
  }

  #refuseWhileFailing(pauseMs: number, now: number): void {
    const failure = this.#failure;
    if (failure !== undefined && isWithin(pauseMs, failure.at, now)) throw failure.error;
  }

  async #fetched(signal: AbortSignal): Promise<T> {
    if (!this.#options.joined) return this.#fetch(signal);
    this.#underWay ??= this.#fetch(signal).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #fetch(signal: AbortSignal): Promise<T> {
    const { clock, name, read, url } = this.#options;
    const startedAt = clock();
    try {
      const response = await this.#options.fetch(await url(signal), {
        headers: { accept: 'application/json' },
        redirect: 'manual',
        signal,
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        const { status } = response;
        throw new DocumentError(`${name} cannot be had: status ${status}`, { status });
      }
      const body = await boundedBody(response.body, DOCUMENT_MAX_BYTES);
      const value = read(body && parsed(body));
      this.#good = { value, at: startedAt };
      this.#failure = undefined;
      return value;
    } catch (error) {
      const reason =
        error instanceof DocumentError
          ? error
          : new DocumentError(`${name} cannot be had: ${networkCode(error)}`, { cause: error });
      this.#failure = { error: reason, at: clock() };
      throw reason;
    }
  }
}

/** False where `since` is in the future: then the clock was set back. */
function isWithin(ageMs: number, since: number, now: number): boolean {
  return now >= since && now - since < ageMs;
}
