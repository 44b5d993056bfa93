// The page of the audit log.

import { isCollectionName } from '../../core/domain/collection-name.js';
import { ACTIONS, AuditPage } from './audit-page.js';
import { type AuditFilter, searchAudit } from './audit-search.js';
import { page } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS, wholeNumber } from './paths.js';

/** 5,000 events: a page answers soon, and says how far back it looked. */
const LIMITS = { requestsMax: 25, foundMax: 50 };

export function registerAudit(app: App, { service, formats }: ConsoleParts): void {
  app.get(PATHS.audit, async (context) => {
    const query = (name: string) => context.req.query(name) || undefined;
    const filter = filterOf(query);
    const number = wholeNumber(query('page')) ?? 1;
    const before = wholeNumber(query('before'));
    const start = before === undefined ? undefined : { page: number, before };
    // The events of one group are shown one by one.
    const isGrouped = filter.newest === undefined;
    const limits = { ...LIMITS, isGrouped, dayOf: formats.day };
    const shown = await searchAudit(service.client, filter, limits, start);
    return context.html(
      page(<AuditPage view={context.get('view')} filter={filter} shown={shown} />),
    );
  });
}

/** Choices that do not exist are none. */
function filterOf(query: (name: string) => string | undefined): AuditFilter {
  const collection = query('collection') ?? '';
  const day = query('day') ?? '';
  return {
    collection: isCollectionName(collection) ? collection : undefined,
    action: ACTIONS.find((action) => action === query('action')),
    account: query('account'),
    record: query('record'),
    day: /^\d{4}-\d\d-\d\d$/.test(day) ? day : undefined,
    newest: wholeNumber(query('newest')),
    oldest: wholeNumber(query('oldest')),
  };
}
