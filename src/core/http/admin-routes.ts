// The operator's views. A tenant's records are changed by the actions in data-routes.ts.

import { ADMIN_PAGE_SIZES, listQuery, pageRequest, pagination } from '../domain/listing.js';
import type { Eventually } from '../eventually.js';
import { type Answer, data, dataWithRows, failure, list } from './answer.js';
import type { Call } from './call.js';
import { pageOf } from './data-routes.js';

export async function adminOverview({ operator }: Call): Promise<Answer> {
  return data(JSON.stringify(await operator.overview()));
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

export async function adminAccounts(call: Call): Promise<Answer> {
  const query = call.query;
  const page = pageRequest(query, ADMIN_PAGE_SIZES);
  const { items, total } = await call.operator.accounts(query.get('q') ?? '', page);
  return list(
    items.map((item) => JSON.stringify(item)),
    pagination(page, total),
  );
}

export async function adminAccount(call: Call): Promise<Answer> {
  const outcome = await call.account.profile();
  if (!outcome.ok) return failure(outcome.failure);
  const { summary, profiles } = outcome.value;
  return dataWithRows(JSON.stringify(summary), 'profiles', profiles);
}

export async function adminUsage({ operator }: Call): Promise<Answer> {
  return data(JSON.stringify(await operator.usage()));
}

export async function adminAudit(call: Call): Promise<Answer> {
  const page = pageRequest(call.query, ADMIN_PAGE_SIZES);
  const { items, total } = await call.operator.auditEvents(page);
  return list(items, pagination(page, total));
}

/** Like the account's own list, with the operator's page sizes and without the status filter. */
export function adminListRecords(call: Call): Eventually<Answer> {
  return pageOf(call, { ...listQuery(call.query, ADMIN_PAGE_SIZES), status: '' });
}
