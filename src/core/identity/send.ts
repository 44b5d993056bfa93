// Sends a question to the identity provider, by `fetch` or, on Node, by `node:http`. Node's `fetch`
// (undici) ends the process when an answer names more than five content codings: it refuses the
// head, and the body stream it already created emits its error where it can't be caught.

/**
 * Node tries the addresses of a name one after the other, each for 250 ms unless told otherwise: a
 * handshake from East Africa to America takes longer. Three that don't answer fit into a check's 4 s.
 */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000;

export interface Question {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The part of a `Response` that is used. */
export interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | null;
}

/**
 * `fetch`, or a function like it. Rejects with the network's error. The signal ends the exchange
 * at any point, while the body is read as well, and closes its connection.
 */
export type Send = (url: string, question: Question) => Promise<Answer>;

/** What is used of Node's modules; the core has no types of Node. */
interface Node {
  readonly request: (url: string, options: object) => NodeRequest;
}
interface NodeRequest {
  readonly reusedSocket: boolean;
  on(event: string, listener: (value: never) => void): NodeRequest;
  destroy(error: Error): void;
  end(): void;
}
type NodeMessage = NonNullable<Answer['body']> & {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};
type Host = { versions?: { undici?: string }; getBuiltinModule?(name: string): Node };

/** The client of this platform. */
export const send: Send = (url, question) => {
  const node = nodeFor(url);
  if (node === undefined) return fetch(url, question);
  const first = exchange(node, url, question);
  return first.answer.catch((error) => {
    const isStale = first.request.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(networkCode(error));
    if (!isStale || question.signal.aborted) throw error;
    // The provider closed a kept connection as the request was sent on it.
    return exchange(node, url, question, { agent: false }).answer;
  });
};

/** Undefined where `fetch` is not undici's: Workers, Bun, Deno. */
function nodeFor(url: string): Node | undefined {
  const { process: host } = globalThis as { readonly process?: Host };
  if (host?.versions?.undici === undefined || !host.getBuiltinModule) return undefined;
  return host.getBuiltinModule(url.startsWith('https:') ? 'https' : 'http');
}

function exchange(node: Node, url: string, question: Question, connection = {}) {
  const { method, headers, signal } = question;
  const request = node.request(url, {
    method,
    signal,
    ...connection,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
    headers: { 'user-agent': 'node', 'accept-encoding': 'identity', ...headers },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject);
    // The only event after status 101, which nobody asked for.
    request.on('close', () => reject(new Error('the connection closed without an answer')));
    request.on('response', (message: NodeMessage) => {
      const get = (name: string) => message.headers[name]?.toString() ?? null;
      if (/^(identity)?$/i.test(get('content-encoding') ?? '')) {
        resolve({ status: message.statusCode, headers: { get }, body: message });
        return;
      }
      // No coding was asked for, and an answer in one could be as large as it likes.
      request.destroy(Object.assign(new Error(), { code: 'CONTENT_ENCODING_NOT_ASKED_FOR' }));
    });
  });
  request.end();
  return { request, answer };
}

/**
 * The code of a network error, such as `ECONNREFUSED`; the error's name if it has none. Nothing
 * else of it may be logged: the message can contain the request's headers, and so the token.
 */
export function networkCode(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const { code } = Object(cause) as { readonly code?: unknown };
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code;
  return error instanceof Error ? error.name : 'network error';
}
