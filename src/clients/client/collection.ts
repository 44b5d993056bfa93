// The five operations on a collection's records, the same for accounts and for the operator.

import type { Collections } from '../../core/domain/api-schema.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { type CallOptions, type Send, segment } from './connection.js';
import { type PageQuery, type RowCalls, rowCalls } from './pages.js';

export type { CollectionName };

/**
 * The properties that a program adds to records, by collection: the type parameter
 * of `createClient`. `{ orders: { table?: number } }` adds one to orders;
 * `AnyProperties` takes every property of every record.
 */
export type OwnProperties = { readonly [Name in CollectionName]?: object };
export type AnyProperties = { readonly [Name in CollectionName]: Record<string, unknown> };

type Added<Own, Name extends CollectionName> = Name extends keyof Own ? Own[Name] : unknown;

/** The body of a create. */
export type NewOf<
  Name extends CollectionName,
  Own extends OwnProperties = object,
> = Collections[Name]['body'] & Added<Own, Name>;

/** A stored record. */
export type RecordIn<
  Name extends CollectionName,
  Own extends OwnProperties = object,
> = Collections[Name]['record'] & Added<Own, Name>;

/** The body of a PATCH: any of a create's properties. Undefined leaves one unchanged. */
export type Changes<Body> = { [Name in keyof Body]?: Body[Name] | undefined };

/**
 * Rows come newest first. A create, a change or a deletion is never retried: after `TIMED_OUT` or
 * `CONNECTION_FAILED`, check whether it was made before you repeat it.
 * `Body`: of a create; `Row`: a stored record.
 */
export interface RecordCalls<Body, Row, Query extends PageQuery> extends RowCalls<Row, Query> {
  create(body: Body, options?: CallOptions): Promise<Row>;
  read(id: string, options?: CallOptions): Promise<Row>;
  /** Sets the given properties and keeps the others. Null clears an optional one. */
  update(id: string, changes: Changes<Body>, options?: CallOptions): Promise<Row>;
  /** Permanent. */
  delete(id: string, options?: CallOptions): Promise<Deletion>;
}

export interface Deletion {
  readonly id: string;
  readonly deleted: true;
}

export type CollectionsOf<Query extends PageQuery, Own extends OwnProperties = object> = {
  readonly [Name in CollectionName]: RecordCalls<NewOf<Name, Own>, RecordIn<Name, Own>, Query>;
};

/** The collections under a path, such as an account's path in the administration API. */
export function collections<Query extends PageQuery, Own extends OwnProperties>(
  send: Send,
  base: string,
  pageSizeMax: number,
): CollectionsOf<Query, Own> {
  return Object.fromEntries(
    COLLECTION_NAMES.map((name) => [name, recordCalls(send, `${base}/${name}`, pageSizeMax)]),
  ) as CollectionsOf<Query, Own>;
}

function recordCalls<Body, Row, Query extends PageQuery>(
  send: Send,
  path: string,
  pageSizeMax: number,
): RecordCalls<Body, Row, Query> {
  const record = async (exchange: Parameters<Send>[0]) => (await send(exchange)).data as Row;
  return {
    ...rowCalls<Row, Query>(send, path, pageSizeMax, 'id'),
    create: (body, options) => record({ method: 'POST', path, body, ...options }),
    read: async (id, options) => record({ method: 'GET', path: path + segment(id), ...options }),
    update: async (id, body, options) =>
      record({ method: 'PATCH', path: path + segment(id), body, ...options }),
    delete: async (id, options) =>
      (await send({ method: 'DELETE', path: path + segment(id), ...options })).data as Deletion,
  };
}
