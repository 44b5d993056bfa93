// The operator's views: those of the table, and two that are answered otherwise. A tenant's
// records are changed by the actions in data-routes.ts.

import { ADMIN_PAGE_SIZES, listQuery, pagination } from '../domain/listing.js';
import type { Eventually } from '../eventually.js';
import type { ObjectViews, RowViews } from '../operator-answers.js';
import { type Answer, data, dataWithRows, failure, list } from './answer.js';
import type { Action, Call } from './call.js';
import { pageOf } from './data-routes.js';

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
export function adminListRecords(call: Call): Eventually<Answer> {
  return pageOf(call, { ...listQuery(call.query, ADMIN_PAGE_SIZES), status: '' });
}
