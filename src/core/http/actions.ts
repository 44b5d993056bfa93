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
import type { ObjectViews, RowViews } from '../domain/operator-views.js';
import { chain, type MaybePromise } from '../maybe-promise.js';
import { type Answer, data, dataOf, dataWithRows, deletionOf, failure, list } from './answer.js';
import { type Action, bodyOf, type Call, idOf, named, recordsOf } from './call.js';
import { queryOf } from './path.js';

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
  return pageOf(call, listQuery(queryOf(call.context.req.raw), DATA_PAGE_SIZES));
}

function pageOf(call: Call, query: ListQuery): MaybePromise<Answer> {
  return chain(recordsOf(call).list(named(call.collection), query), ({ items, total }) =>
    list(items, pagination(query, total)),
  );
}

export async function createRecord(call: Call): Promise<Answer> {
  const body = await bodyOf(call);
  if (!body.ok) return failure(body.failure);
  return dataOf(await recordsOf(call).create(named(call.collection), body.value), 201);
}

export function readRecord(call: Call): MaybePromise<Answer> {
  return chain(recordsOf(call).read(named(call.collection), idOf(call)), dataOf);
}

export async function updateRecord(call: Call): Promise<Answer> {
  const body = await bodyOf(call);
  if (!body.ok) return failure(body.failure);
  return dataOf(await recordsOf(call).update(named(call.collection), idOf(call), body.value));
}

export async function deleteRecord(call: Call): Promise<Answer> {
  return deletionOf(await recordsOf(call).delete(named(call.collection), idOf(call)));
}

/** "Ignores all query parameters and returns every derived row." */
export async function listPayments(call: Call): Promise<Answer> {
  const { items, total } = await recordsOf(call).payments();
  return list(items, singlePage(total));
}

/** The action of a view that answers one object. */
export function objectView(name: keyof ObjectViews): Action {
  return async ({ dependencies }) =>
    data(JSON.stringify(await dependencies.records.operator[name]()));
}

/** The action of a view that answers rows. */
export function rowView(name: keyof RowViews): Action {
  return async ({ dependencies, context }) => {
    const query = listQuery(queryOf(context.req.raw), ADMIN_PAGE_SIZES);
    const { items, total } = await dependencies.records.operator[name](query);
    return list(items, pagination(query, total));
  };
}

/** Always 200; `status` tells. So a monitor reads "degraded" and the reason, instead of a failed request. */
export async function adminHealth({ dependencies }: Call): Promise<Answer> {
  const { records, status } = dependencies;
  const connected = await records.operator.ping().then(
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
  const outcome = await recordsOf(call).profile();
  if (!outcome.ok) return failure(outcome.failure);
  const { summary, profiles } = outcome.value;
  return dataWithRows(JSON.stringify(summary), 'profiles', profiles);
}

/** Like the account's own list, with the operator's page sizes and without the status filter. */
export function adminListRecords(call: Call): MaybePromise<Answer> {
  const query = listQuery(queryOf(call.context.req.raw), ADMIN_PAGE_SIZES);
  return pageOf(call, { ...query, status: '' });
}
