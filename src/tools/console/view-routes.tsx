// The pages about the whole service: overview, audit, health.

import { isCollectionName } from '../../core/domain/collection-name.js';
import { ACTIONS, AuditPage } from './audit-page.js';
import { type AuditFilter, searchAudit } from './audit-search.js';
import { HealthPage } from './health-page.js';
import { page } from './layout.js';
import { isBackupAnswer } from './operations-port.js';
import { OverviewPage } from './overview-page.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS, wholeNumber, withQuery } from './paths.js';

const EVENTS_SHOWN = 8;
const EVENTS_A_PAGE = 50;
/** 2,000 events: a page answers soon, and says how far back it looked. */
const SEARCH_LIMITS = { requestsMax: 10, foundMax: 50 };

export function registerViews(app: App, parts: ConsoleParts): void {
  const { service, watch, operations } = parts;
  const { client } = service;

  app.get(PATHS.overview, async (context) => {
    watch.looked();
    const [overview, health, audit, facts] = await Promise.all([
      client.overview(),
      client.health(),
      client.audit.list({ page_size: EVENTS_SHOWN }),
      operations.factsOrReason(),
    ]);
    watch.saw(overview);
    return context.html(
      page(
        <OverviewPage
          view={context.get('view')}
          overview={overview}
          health={health}
          audit={audit}
          usage={watch.usage}
          totals={watch.totals}
          operations={facts}
          stretches={operations.hour.stretches}
          now={parts.clock()}
        />,
      ),
    );
  });

  app.get(PATHS.audit, async (context) => {
    const query = (name: string) => context.req.query(name) || undefined;
    const filter = filterOf(query);
    const view = context.get('view');
    const number = wholeNumber(query('page')) ?? 1;
    if (Object.values(filter).every((value) => value === undefined)) {
      const shown = await client.audit.list({ page: number, page_size: EVENTS_A_PAGE });
      return context.html(page(<AuditPage view={view} filter={filter} shown={shown} />));
    }
    const before = wholeNumber(query('before'));
    const start = before === undefined ? undefined : { page: number, before };
    const shown = await searchAudit(client, filter, SEARCH_LIMITS, start);
    return context.html(page(<AuditPage view={view} filter={filter} shown={shown} />));
  });

  app.get(PATHS.health, async (context) => {
    const asked = context.req.query('asked');
    const [health, facts] = await Promise.all([client.health(), operations.factsOrReason()]);
    return context.html(
      page(
        <HealthPage
          view={context.get('view')}
          health={health}
          operations={facts}
          settings={parts.settings()}
          now={parts.clock()}
          takesKey={operations.takesKey}
          asked={isBackupAnswer(asked) ? asked : undefined}
          chosen={context.req.query('restore')}
        />,
      ),
    );
  });

  app.post(PATHS.backUp, async (context) => {
    const asked = await operations.backUp();
    parts.log.info('console_backup_asked', { answer: asked });
    return context.redirect(`${withQuery(PATHS.health, { asked })}#backups`, 303);
  });
}

/** Choices that do not exist are none. */
function filterOf(query: (name: string) => string | undefined): AuditFilter {
  const collection = query('collection') ?? '';
  return {
    collection: isCollectionName(collection) ? collection : undefined,
    action: ACTIONS.find((action) => action === query('action')),
    account: query('account'),
    record: query('record'),
  };
}
