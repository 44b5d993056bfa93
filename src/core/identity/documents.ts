// Documents of the provider (its discovery document, its keys): fetched when
// they are needed, kept while they are fresh, and for a bounded time when the provider fails.

import { boundedBody } from '../bounded-body.js';
import { isJsonObject } from '../domain/json.js';
import { parsed } from './exchange.js';
import { networkReason, type Question, type Send } from './send.js';

const DOCUMENT_MAX_BYTES = 262_144;
const FRESH_MS = 600_000;
/** How long the last good document serves while a new one can't be fetched. */
const KEPT_MS = 3_600_000;
/** Pause after a failure while an older document still serves. */
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** Pause after a failure without an older document: short, because callers wait for one. */
const PAUSE_WITHOUT_DOCUMENT_MS = 1_000;

/** Rejects with a `DocumentError`. */
export type Address = (signal: AbortSignal) => Promise<string>;

export interface DocumentSource {
  readonly fetch: Send;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Whether callers share one fetch; not if the platform ties an exchange to one request. */
  readonly joined: boolean;
}

export interface CachedDocumentOptions<T> extends DocumentSource {
  /** What a message calls it, such as `the keys`. */
  readonly name: string;
  readonly url: Address;
  /** Throws a `DocumentError` if the JSON is not such a document. */
  readonly read: (json: unknown) => T;
}

/**
 * Why a document can't be used, without a secret. `cause`: the network's error; `status`: the
 * answer's, if not 200; `remedy`: what the operator can do, if the error itself tells.
 */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly status: number | undefined;
  readonly remedy: string | undefined;

  constructor(message: string, options: ErrorOptions & { status?: number; remedy?: string } = {}) {
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

  /**
   * A document younger than `ageMs`. Without `ageMs` the last good one serves, too, if a new one
   * can't be fetched. Rejects with a `DocumentError`, or the signal's reason.
   */
  async get(signal: AbortSignal, ageMs?: number): Promise<T> {
    const good = this.#good;
    if (good !== undefined && this.#isWithin(ageMs ?? FRESH_MS, good)) return good.value;
    const kept = this.#isWithin(KEPT_MS, good) ? good : undefined;
    const pauseMs = kept === undefined ? PAUSE_WITHOUT_DOCUMENT_MS : PAUSE_AFTER_FAILURE_MS;
    try {
      if (this.#isWithin(pauseMs, this.#failure)) throw this.#failure?.error;
      if (!this.#options.joined) return await this.#fetch(signal);
      this.#underWay ??= this.#fetch(signal).finally(() => {
        this.#underWay = undefined;
      });
      return await this.#underWay;
    } catch (error) {
      if (kept === undefined || ageMs !== undefined) throw error;
      return kept.value;
    }
  }

  /** False for a time in the future: then the clock was set back. */
  #isWithin(ageMs: number, since: { readonly at: number } | undefined): boolean {
    const age = since === undefined ? -1 : this.#options.clock() - since.at;
    return age >= 0 && age < ageMs;
  }

  async #fetch(signal: AbortSignal): Promise<T> {
    const { clock, fetch, name, read, url } = this.#options;
    const at = clock();
    try {
      const headers = { accept: 'application/json' };
      const question: Question = { headers, redirect: 'manual', signal };
      const { status, body } = await fetch(await url(signal), question);
      if (status !== 200) {
        throw new DocumentError(`could not fetch ${name}: status ${status}`, { status });
      }
      const bytes = await boundedBody(body, DOCUMENT_MAX_BYTES);
      const value = read(bytes && parsed(bytes));
      this.#good = { value, at };
      this.#failure = undefined;
      return value;
    } catch (cause) {
      const message = `could not fetch ${name}: ${networkReason(cause)}`;
      const error = cause instanceof DocumentError ? cause : new DocumentError(message, { cause });
      this.#failure = { error, at: clock() };
      throw error;
    }
  }
}

type Endpoint = 'userinfo_endpoint' | 'jwks_uri';
/** Its usable addresses. */
type Metadata = Readonly<Record<Endpoint, string | undefined>>;

/** The discovery document (OpenID Connect Discovery 1.0, section 4): where user information and keys are. */
export function discovery(issuer: string, source: DocumentSource): CachedDocument<Metadata> {
  return new CachedDocument({
    ...source,
    name: 'the discovery document',
    url: async () => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    read: (json) => metadataOf(json, issuer),
  });
}

/** The address that is set, or else the one in the discovery document. */
export function addressOf(
  endpoint: Endpoint,
  set: string | undefined,
  document: CachedDocument<Metadata> | undefined,
  remedy: string,
): Address {
  return async (signal) => {
    const url = set ?? (await document?.get(signal))?.[endpoint];
    if (url !== undefined) return url;
    throw new DocumentError(`the discovery document names no usable ${endpoint}`, { remedy });
  };
}

function metadataOf(json: unknown, issuer: string): Metadata {
  if (!isJsonObject(json) || typeof json['issuer'] !== 'string') {
    throw new DocumentError('the discovery document is not JSON with an issuer in it');
  }
  // "MUST exactly match": else one provider could speak for another.
  if (json['issuer'] !== issuer) {
    const other = JSON.stringify(json['issuer'].slice(0, 200));
    throw new DocumentError(`the discovery document names another issuer: ${other}`);
  }
  return {
    userinfo_endpoint: safeUrl(json['userinfo_endpoint'], issuer),
    jwks_uri: safeUrl(json['jwks_uri'], issuer),
  };
}

/** A token never goes over a plain connection, whatever the document says; on loopback the issuer itself is plain. */
function safeUrl(value: unknown, issuer: string): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol === 'https:') return url.href;
  const isPlainToo = url.protocol === 'http:' && new URL(issuer).protocol === 'http:';
  return isPlainToo && url.hostname === new URL(issuer).hostname ? url.href : undefined;
}
