// The five operations on a collection's records, the same for an account and,
// on its behalf, for the operator.

import { type CallOptions, type Send, segment } from './connection.js';
import { type AllQuery, allRows, type Page, type PageQuery, page } from './pages.js';
import type { CollectionName, Collections } from './records.js';

/** Creates and changes are sent once, whatever happens: after a `TIMED_OUT` or `CONNECTION_FAILED`, look before you repeat. */
export interface Collection<Name extends CollectionName, Query extends PageQuery> {
  /** One page, newest first. */
  list(query?: Query, options?: CallOptions): Promise<Page<Collections[Name]['record']>>;
  /** Every record, newest first, fetched page by page as the loop goes on. */
  all(
    query?: AllQuery<Query>,
    options?: CallOptions,
  ): AsyncGenerator<Collections[Name]['record'], void, undefined>;
  create(
    body: Collections[Name]['body'],
    options?: CallOptions,
  ): Promise<Collections[Name]['record']>;
  read(id: string, options?: CallOptions): Promise<Collections[Name]['record']>;
  /** Sets the given properties; the others stay. */
  update(
    id: string,
    changes: Changes<Collections[Name]['body']>,
    options?: CallOptions,
  ): Promise<Collections[Name]['record']>;
  /** For good. */
  delete(id: string, options?: CallOptions): Promise<Deletion>;
}

/** Some of a record's properties, or others. */
export type Changes<Body> = Partial<Body>;

export interface Deletion {
  readonly id: string;
  readonly deleted: true;
}

export type CollectionsOf<Query extends PageQuery> = {
  readonly [Name in CollectionName]: Collection<Name, Query>;
};

/** All six below a path, such as an account's in the administration API. */
export function collections<Query extends PageQuery>(
  send: Send,
  base: string,
  pageSizeMax: number,
): CollectionsOf<Query> {
  const at = <Name extends CollectionName>(name: Name) =>
    collection<Name, Query>(send, `${base}/${name}`, pageSizeMax);
  return {
    businesses: at('businesses'),
    customers: at('customers'),
    services: at('services'),
    orders: at('orders'),
    team: at('team'),
    expenses: at('expenses'),
  };
}

function collection<Name extends CollectionName, Query extends PageQuery>(
  send: Send,
  path: string,
  pageSizeMax: number,
): Collection<Name, Query> {
  type Stored = Collections[Name]['record'];
  const record = async (exchange: Parameters<Send>[0]) => (await send(exchange)).data as Stored;
  return {
    list: (query, options) => page<Stored>(send, path, query, options),
    all: (query, options) =>
      allRows<Stored>(
        (number) => page(send, path, { page_size: pageSizeMax, ...query, page: number }, options),
        ({ id }) => id,
      ),
    create: (body, options) => record({ method: 'POST', path, body, ...options }),
    read: async (id, options) => record({ method: 'GET', path: path + segment(id), ...options }),
    update: async (id, body, options) =>
      record({ method: 'PATCH', path: path + segment(id), body, ...options }),
    delete: async (id, options) =>
      (await send({ method: 'DELETE', path: path + segment(id), ...options })).data as Deletion,
  };
}
