// The client for programs that act for an account, in browsers, React Native, Node, Workers, Deno and
// Bun. It has no dependencies and contains no code of the operator's client.

import { ApiError } from './clients/client/api-error.js';
import {
  type CollectionsOf,
  collections,
  type OwnProperties,
} from './clients/client/collection.js';
import {
  type CallOptions,
  type ConnectionOptions,
  connect,
  isFrameworkSignal,
} from './clients/client/connection.js';
import { type Page, type PageQuery, page } from './clients/client/pages.js';
import type { Health, Payment } from './core/domain/api-schema.js';

const PAGE_SIZE_MAX = 100;
const SCHEME = 'Bearer ';

export interface ClientOptions extends ConnectionOptions {
  /**
   * The access token, or a function that returns one and is called before every request.
   * When the service refuses a token (401), the function is called once more with that
   * token, and the request is sent again if it returns another one.
   */
  readonly token: string | ((refused?: string) => string | Promise<string>);
}

export interface ListQuery extends PageQuery {
  /** Text to find anywhere in a record's JSON, ignoring case. */
  readonly q?: string | undefined;
  /** A record's exact status. */
  readonly status?: string | undefined;
}

/** `Own`: the properties that your programs add to records, by collection. */
export interface Client<Own extends OwnProperties = object> extends CollectionsOf<ListQuery, Own> {
  readonly payments: {
    /** One row for each order, newest first, all on one page. */
    list(options?: CallOptions): Promise<Page<Payment>>;
    /** The rows with something left to pay, newest first. */
    due(options?: CallOptions): Promise<Payment[]>;
  };
  /** Liveness; sends no token. */
  health(options?: CallOptions): Promise<Health>;
}

/** Every call that fails rejects with an `ApiError`. */
export function createClient<Own extends OwnProperties = object>(
  options: ClientOptions,
): Client<Own> {
  const { token } = options;
  const send = connect(options, async (refused) => {
    if (refused !== undefined && typeof token !== 'function') return undefined;
    const before = refused?.['Authorization'];
    const Authorization = SCHEME + (await tokenFrom(token, before?.slice(SCHEME.length)));
    return Authorization === before ? undefined : { Authorization };
  });
  const sendUnauthenticated = connect(options, async () => ({}));
  const list = (call?: CallOptions) => page<Payment>(send, '/payments', undefined, call);
  return {
    ...collections<ListQuery, Own>(send, '', PAGE_SIZE_MAX),
    payments: {
      list,
      due: async (call) => (await list(call)).items.filter(({ status }) => status === 'pending'),
    },
    health: async (call) =>
      (await sendUnauthenticated({ method: 'GET', path: '/health', ...call })).data as Health,
  };
}

async function tokenFrom(source: ClientOptions['token'], refused?: string): Promise<string> {
  let token: unknown = source;
  try {
    if (typeof source === 'function') token = await source(refused);
  } catch (cause) {
    if (isFrameworkSignal(cause)) throw cause;
    throw new ApiError('NO_TOKEN', 'the token function failed; its error is the cause', { cause });
  }
  if (typeof token === 'string' && token !== '') return token;
  const given = token === '' ? 'an empty text' : typeof token;
  throw new ApiError('NO_TOKEN', `the token is ${given}; it must be a text: sign in first`);
}

export { ApiError } from './clients/client/api-error.js';
export type * from './clients/client/client-api.js';
