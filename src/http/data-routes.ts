// The actions on an account's records. The administration API uses the same
// ones for a tenant's records: only whose account it is differs.

import { DATA_PAGE_SIZES, listQuery, pagination, singlePage } from '../domain/listing.js';
import { type Answer, dataOf, deletionOf, failure, list } from './answer.js';
import type { Call } from './call.js';

export async function listRecords(call: Call): Promise<Answer> {
  const query = listQuery(call.query, DATA_PAGE_SIZES);
  const { items, total } = await call.account.list(call.collection, query);
  return list(items, pagination(query, total));
}

export async function createRecord(call: Call): Promise<Answer> {
  const body = await call.body();
  if (!body.ok) return failure(body.failure);
  return dataOf(await call.account.create(call.collection, body.value), 201);
}

export async function readRecord(call: Call): Promise<Answer> {
  return dataOf(await call.account.read(call.collection, call.id));
}

export async function updateRecord(call: Call): Promise<Answer> {
  const body = await call.body();
  if (!body.ok) return failure(body.failure);
  return dataOf(await call.account.update(call.collection, call.id, body.value));
}

export async function deleteRecord(call: Call): Promise<Answer> {
  return deletionOf(await call.account.delete(call.collection, call.id));
}

/** "Ignores all query parameters and returns every derived row." */
export async function listPayments(call: Call): Promise<Answer> {
  const rows = await call.account.payments();
  return list(rows, singlePage(rows.length));
}
