// The five operations on a collection's records, the same for an account and for
// the operator.

import { type CallOptions, type Send, segment } from './connection.js';
import { type AllQuery, allRows, type Page, type PageQuery, page } from './pages.js';
import type { CollectionName, Collections } from './records.js';

/** A create, a change or a deletion is sent once. After `TIMED_OUT` or `CONNECTION_FAILED`, look before you repeat it. */
export interface Collection<Name extends CollectionName, Query extends PageQuery> {
  /** One page, newest first. */
  list(query?: Query, options?: CallOptions): Promise<Page<Collections[Name]['record']>>;
  /** Every record, newest first. The loop fetches one page after another. */
  all(
    query?: AllQuery<Query>,
    options?: CallOptions,
  ): AsyncGenerator<Collections[Name]['record'], void, undefined>;
  create(
    body: Collections[Name]['body'],
    options?: CallOptions,
  ): Promise<Collections[Name]['record']>;
  read(id: string, options?: CallOptions): Promise<Collections[Name]['record']>;
  /** Sets the given properties and keeps the others. */
  update(
    id: string,
    changes: Changes<Collections[Name]['body']>,
    options?: CallOptions,
  ): Promise<Collections[Name]['record']>;
  /** Permanent. */
  delete(id: string, options?: CallOptions): Promise<Deletion>;
}

/** Any of a record's properties, known or not. */
export type Changes<Body> = Partial<Body>;

export interface Deletion {
  readonly id: string;
  readonly deleted: true;
}

export type CollectionsOf<Query extends PageQuery> = {
  readonly [Name in CollectionName]: Collection<Name, Query>;
};

/** The collections under a path, such as an account's path in the administration API. */
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
