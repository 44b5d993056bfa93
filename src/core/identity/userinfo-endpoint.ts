// One question to the provider's user-information endpoint (OpenID Connect Core
// 5.3, and endpoints like it), sent as the settings say.

import { networkCode } from './network-code.js';
import { type Verdict, verdictOf } from './provider-answer.js';
import { checkedSubjectPath } from './subject.js';

export interface EndpointOptions {
  /** The endpoint's URL. */
  readonly url: string | ((signal: AbortSignal) => Promise<string>);
  /** Extra request headers; Supabase wants its `apikey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `GET`; PocketBase wants `POST`. */
  readonly method?: 'GET' | 'POST';
  /** Dotted path or JSON Pointer to the subject in the answer. Default `sub`. */
  readonly subjectField?: string;
  readonly fetch?: typeof fetch;
  /** Sends on a connection of its own. Default: `fetch`, where the platform cares for its connections. */
  readonly freshFetch?: typeof fetch;
}

/** How an exchange ended that was not cut short: the answer, and what it says of the token. */
export interface Exchange {
  readonly response: Response;
  readonly verdict: Verdict;
}

/**
 * A connection that the provider closed as the request arrived on it. Codes of
 * Node's client; elsewhere the platform sends such a request again by itself.
 */
const CLOSED_CONNECTION: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The user-information endpoint, asked as the settings say. Throws a TypeError for a `subjectField` that can match nothing. */
export class UserinfoEndpoint {
  readonly #options: EndpointOptions;
  readonly #path: readonly string[];
  readonly #headers: Headers;
  /** Whether an answer came before, so that a connection may have been used again. */
  #hasAnswered = false;

  constructor(options: EndpointOptions) {
    const { headers = {}, subjectField = 'sub' } = options;
    this.#options = options;
    this.#path = checkedSubjectPath(subjectField);
    // A `Headers` object, not a spread: names differ in case, and a second
    // Authorization would be joined to the caller's.
    this.#headers = new Headers({ accept: 'application/json' });
    for (const [name, value] of Object.entries(headers)) this.#headers.set(name, value);
  }

  /** One exchange, twice at most; redirects are not followed. Rejects with the network's error, a `DocumentError` or the signal's reason. */
  async ask(token: string, signal: AbortSignal): Promise<Exchange> {
    const { url } = this.#options;
    const target = typeof url === 'string' ? url : await url(signal);
    const response = await this.#answer(target, token, signal);
    this.#hasAnswered = true;
    return { response, verdict: await verdictOf(response, this.#path) };
  }

  async #answer(url: string, token: string, signal: AbortSignal): Promise<Response> {
    const mayBeReused = this.#hasAnswered;
    try {
      return await this.#send(this.#fetch, url, token, signal);
    } catch (error) {
      if (signal.aborted || !mayBeReused || !CLOSED_CONNECTION.has(networkCode(error))) throw error;
      return this.#send(this.#options.freshFetch ?? this.#fetch, url, token, signal);
    }
  }

  get #fetch(): typeof fetch {
    return this.#options.fetch ?? fetch;
  }

  #send(send: typeof fetch, url: string, token: string, signal: AbortSignal): Promise<Response> {
    const { method = 'GET' } = this.#options;
    const headers = new Headers(this.#headers);
    headers.set('authorization', `Bearer ${token}`);
    return send(url, { method, headers, redirect: 'manual', signal });
  }
}
