// The actions on an account's records. The administration API uses the same actions
// for a tenant's records; only the account differs.

import {
  DATA_PAGE_SIZES,
  type ListQuery,
  listQuery,
  pagination,
  singlePage,
} from '../domain/listing.js';
import { andThen, type Eventually } from '../eventually.js';
import { type Answer, dataOf, deletionOf, list } from './answer.js';
import type { Call } from './call.js';

export function listRecords(call: Call): Eventually<Answer> {
  return pageOf(call, listQuery(call.query, DATA_PAGE_SIZES));
}

/** Lists a page of the collection that the call names. */
export function pageOf(call: Call, query: ListQuery): Eventually<Answer> {
  return andThen(call.account.list(call.collection, query), ({ items, total }) =>
    list(items, pagination(query, total)),
  );
}

export async function createRecord(call: Call): Promise<Answer> {
  const { account, collection } = call;
  return dataOf(await call.withBody((body) => account.create(collection, body)), 201);
}

export function readRecord(call: Call): Eventually<Answer> {
  return andThen(call.account.read(call.collection, call.id), (outcome) => dataOf(outcome));
}

export async function updateRecord(call: Call): Promise<Answer> {
  const { account, collection, id } = call;
  return dataOf(await call.withBody((body) => account.update(collection, id, body)));
}

export async function deleteRecord(call: Call): Promise<Answer> {
  return deletionOf(await call.account.delete(call.collection, call.id));
}

/** "Ignores all query parameters and returns every derived row." */
export async function listPayments(call: Call): Promise<Answer> {
  const { items, total } = await call.account.payments();
  return list(items, singlePage(total));
}
