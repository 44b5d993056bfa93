// The client for programs of an account, in browsers, Node, Workers, Deno and Bun.
// It has no dependencies and contains no code of the operator's client.

import { type CollectionsOf, collections } from './client/collection.js';
import { type CallOptions, type ConnectionOptions, connect } from './client/connection.js';
import { type Page, type PageQuery, page } from './client/pages.js';
import type { Health, Payment } from './client/records.js';

const PAGE_SIZE_MAX = 100;

export interface ClientOptions extends ConnectionOptions {
  /** The access token, or a function that returns one and is called before every request. */
  readonly token: string | (() => string | Promise<string>);
}

export interface ListQuery extends PageQuery {
  /** Text to find anywhere in a record's JSON, in upper or lower case. */
  readonly q?: string;
  /** A record's exact status. */
  readonly status?: string;
}

export interface Client extends CollectionsOf<ListQuery> {
  readonly payments: {
    /** One row for each order, newest first, all on one page. */
    list(options?: CallOptions): Promise<Page<Payment>>;
  };
  /** Liveness; sends no token. */
  health(options?: CallOptions): Promise<Health>;
}

export function createClient(options: ClientOptions): Client {
  const { token } = options;
  const send = connect(options, async () => ({
    Authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
  }));
  const sendOpen = connect(options, async () => ({}));
  return {
    ...collections<ListQuery>(send, '', PAGE_SIZE_MAX),
    payments: { list: (call) => page(send, '/payments', undefined, call) },
    health: async (call) =>
      (await sendOpen({ method: 'GET', path: '/health', ...call })).data as Health,
  };
}

export {
  ApiError,
  type ApiErrorCode,
  type ClientErrorCode,
  type ServiceErrorCode,
} from './client/api-error.js';
export type { Changes, Collection, CollectionsOf, Deletion } from './client/collection.js';
export type { CallOptions, ConnectionOptions } from './client/connection.js';
export type { AllQuery, Page, PageQuery, Pagination } from './client/pages.js';
export type * from './client/records.js';
