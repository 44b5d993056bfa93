// The pages about the whole service: overview, health.

import { searchAudit } from './audit-search.js';
import { HealthPage } from './health-page.js';
import { page } from './layout.js';
import { isBackupAnswer } from './operations-port.js';
import { CHANGES_MAX, OverviewPage } from './overview-page.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS, withQuery } from './paths.js';

/** One request, unless a large import or erasure was lately: then up to 5,000 events are one row. */
const CHANGES_LIMITS = { requestsMax: 25, foundMax: CHANGES_MAX, isGrouped: true };

export function registerViews(app: App, parts: ConsoleParts): void {
  const { service, watch, operations } = parts;
  const dayOf = parts.formats.day;
  const { client } = service;

  app.get(PATHS.overview, async (context) => {
    watch.looked();
    const [overview, health, changes, facts] = await Promise.all([
      client.overview(),
      client.health(),
      searchAudit(client, {}, { ...CHANGES_LIMITS, dayOf }),
      operations.factsOrReason(),
    ]);
    watch.saw(overview);
    return context.html(
      page(
        <OverviewPage
          view={context.get('view')}
          overview={overview}
          health={health}
          changes={changes}
          usage={watch.usage}
          totals={watch.totals}
          operations={facts}
          stretches={operations.hour.stretches}
          now={parts.clock()}
        />,
      ),
    );
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
