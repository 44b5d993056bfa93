// Sends a request to the identity provider by `fetch` or, on Node, by `node:http`. Node's `fetch` (undici)
// ends the process when a response names more than five content codings: it refuses the head, and the
// body stream that it already created emits its error where it can't be caught.

import { boundedBody } from '../bounded-body.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';

/**
 * Node tries the addresses of a name one after the other, by default each for 250 ms; a handshake from
 * East Africa to America takes longer. Three unreachable addresses fit into a check's 4 s.
 */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000;

export interface ProviderRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The part of a `Response` that is used. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | null;
}

/**
 * `fetch`, or a function like it. Rejects with the network's error. The signal ends the exchange
 * at any point, while the body is read as well, and closes its connection.
 */
export type Send = (url: string, request: ProviderRequest) => Promise<ProviderResponse>;

/** Why the provider is unreachable, or its response unusable: one sentence without a secret. */
export class ProviderError extends Error {
  /** The pause that the provider asks for. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: string, retryAfterSeconds?: number) {
    super(reason);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * The reason for the log. A network error is identified by its code, such as `ECONNREFUSED`, or else by
 * its name alone: the message can contain the request's headers, and so the token.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return error.message;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const { code } = Object(cause) as { readonly code?: unknown };
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code;
  return error instanceof Error ? error.name : 'network error';
}

/**
 * The contract's "Identity provider user-info call time-out", over everything that a check does. The
 * signal always aborts at the end: that closes a connection that is still open.
 */
export async function withTimeout<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => {
    controller.abort(new ProviderError(`no response within ${IDENTITY_PROVIDER_TIMEOUT_MS} ms`));
  }, IDENTITY_PROVIDER_TIMEOUT_MS);
  // Not left to `work`, because a caller's own `fetch` may ignore the signal.
  const end = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  try {
    return await Promise.race([work(signal), end]);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

/** Rejects with a `ProviderError` for a body that is too long or not JSON. */
export async function readJson(body: ProviderResponse['body'], maxBytes: number): Promise<unknown> {
  const bytes = await boundedBody(body, maxBytes);
  if (bytes === undefined) throw new ProviderError(`a response over ${maxBytes} bytes`);
  try {
    // Strict: with bad bytes replaced, two subjects could become one.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ProviderError('a response that is not JSON');
  }
}

/** The parts of Node's modules that are used here, because the core has no types of Node. */
type NodeHttp = { request(url: string, options: object): NodeRequest };
interface NodeRequest {
  readonly reusedSocket: boolean;
  on(event: string, listener: (value: never) => void): void;
  end(): void;
}
type NodeMessage = NonNullable<ProviderResponse['body']> & {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};
type Host = { versions?: { undici?: string }; getBuiltinModule?(name: string): NodeHttp };

/** The client of this platform. */
export const send: Send = (url, request) => {
  const { process: host } = globalThis as { readonly process?: Host };
  // The `fetch` of Workers, Bun and Deno isn't undici's.
  if (host?.versions?.undici === undefined || !host.getBuiltinModule) return fetch(url, request);
  const http = host.getBuiltinModule(url.startsWith('https:') ? 'https' : 'http');
  const first = exchange(http, url, request);
  return first.response.catch((error) => {
    const isStale = first.outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(reasonOf(error));
    if (!isStale || request.signal.aborted) throw error;
    // The provider closed an idle connection while the request was sent on it.
    return exchange(http, url, request, { agent: false }).response;
  });
};

function exchange(http: NodeHttp, url: string, request: ProviderRequest, connection = {}) {
  const { method, headers, signal } = request;
  const outgoing = http.request(url, {
    method,
    signal,
    ...connection,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
    headers: { 'user-agent': 'node', 'accept-encoding': 'identity', ...headers },
  });
  const response = new Promise<ProviderResponse>((resolve, reject) => {
    outgoing.on('error', reject);
    // After a status 101 that wasn't requested, this is the only event.
    outgoing.on('close', () => reject(new Error('the connection closed without a response')));
    outgoing.on('response', (message: NodeMessage) => {
      const get = (name: string) => message.headers[name]?.toString() ?? null;
      resolve({ status: message.statusCode, headers: { get }, body: message });
    });
  });
  outgoing.end();
  return { outgoing, response };
}
