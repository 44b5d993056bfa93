// What each route does: on an account's records, the same for the account and for the operator,
// and the operator's views.

import { DEFAULT_CURRENCY } from '../domain/collections.js';
import {
  ADMIN_PAGE_SIZES,
  DATA_PAGE_SIZES,
  type ListQuery,
  listQuery,
  pagination,
  singlePage,
} from '../domain/listing.js';
import { chain, type MaybePromise } from '../maybe-promise.js';
import type { ObjectViews, RowViews } from '../operator-answers.js';
import { type Answer, data, dataOf, dataWithRows, deletionOf, failure, list } from './answer.js';
import type { Action, Call } from './call.js';

/** "Time zone context is Africa/Dar_es_Salaam; default currency is TZS." */
export const HEALTH = {
  status: 'ok',
  service: 'service-management-api',
  version: 'v1',
  time_zone: 'Africa/Dar_es_Salaam',
  currency: DEFAULT_CURRENCY,
} as const;

const HEALTH_ANSWER = data(JSON.stringify(HEALTH));

/** "Static: it does not check the database, write ability, or the identity provider." */
export function health(): Answer {
  return HEALTH_ANSWER;
}

export function listRecords(call: Call): MaybePromise<Answer> {
  return pageOf(call, listQuery(call.query, DATA_PAGE_SIZES));
}

/** A page of the collection that the call names. */
function pageOf(call: Call, query: ListQuery): MaybePromise<Answer> {
  return chain(call.account.list(call.collection, query), ({ items, total }) =>
    list(items, pagination(query, total)),
  );
}

export async function createRecord(call: Call): Promise<Answer> {
  const { account, collection } = call;
  return dataOf(await call.withBody((body) => account.create(collection, body)), 201);
}

export function readRecord(call: Call): MaybePromise<Answer> {
  return chain(call.account.read(call.collection, call.id), (outcome) => dataOf(outcome));
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

/** The action of a view that answers one object. */
export function objectView(name: keyof ObjectViews): Action {
  return async ({ operator }) => data(JSON.stringify(await operator[name]()));
}

/** The action of a view that answers rows. */
export function rowView(name: keyof RowViews): Action {
  return async ({ operator, query }) => {
    const wanted = listQuery(query, ADMIN_PAGE_SIZES);
    const { items, total } = await operator[name](wanted);
    return list(items, pagination(wanted, total));
  };
}

/** Always 200; `status` tells. So a monitor reads "degraded" and the reason, instead of a failed request. */
export async function adminHealth({ operator, status }: Call): Promise<Answer> {
  const connected = await operator.ping().then(
    () => true,
    () => false,
  );
  return data(
    JSON.stringify({
      status: connected ? 'ok' : 'degraded',
      database: connected ? 'ok' : 'unavailable',
      uptime_seconds: status.uptimeSeconds(),
      identity_provider_configured: status.identityProviderConfigured,
      admin_configured: status.adminConfigured,
    }),
  );
}

export async function adminAccount(call: Call): Promise<Answer> {
  const outcome = await call.account.profile();
  if (!outcome.ok) return failure(outcome.failure);
  const { summary, profiles } = outcome.value;
  return dataWithRows(JSON.stringify(summary), 'profiles', profiles);
}

/** Like the account's own list, with the operator's page sizes and without the status filter. */
export function adminListRecords(call: Call): MaybePromise<Answer> {
  return pageOf(call, { ...listQuery(call.query, ADMIN_PAGE_SIZES), status: '' });
}
