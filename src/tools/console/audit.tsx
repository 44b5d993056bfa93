// The audit log: all events, or those of a collection, an action, an account or a day.

import { COLLECTION_NAMES, isCollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import { type AuditFilter, type FoundEvents, searchAudit } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { counted, numberText, timeText } from './formats.js';
import { Frame, page, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { PATHS, wholeNumber, withQuery } from './paths.js';

/** 5,000 events, so that the page answers quickly. */
const LIMITS = { requestsMax: 25, rowsMax: 50 };
const ACTIONS: readonly AuditEvent['action'][] = ['create', 'update', 'delete', 'restore'];

export function registerAudit(app: App, { client }: ConsoleParts): void {
  app.get(PATHS.audit, async (context) => {
    const query = (name: string) => context.req.query(name) || undefined;
    const filter = filterOf(query);
    const found = await searchAudit(client, filter, LIMITS, wholeNumber(query('before')));
    return context.html(page(<AuditPage view={context.get('view')} {...{ filter, found }} />));
  });
}

/** Unknown values are ignored. */
function filterOf(query: (name: string) => string | undefined): AuditFilter {
  const collection = query('collection') ?? '';
  const day = query('day') ?? '';
  return {
    collection: isCollectionName(collection) ? collection : undefined,
    action: ACTIONS.find((action) => action === query('action')),
    account: query('account'),
    day: /^\d{4}-\d\d-\d\d$/.test(day) ? day : undefined,
    record: query('record'),
    run: query('run'),
  };
}

function AuditPage(props: { view: View; filter: AuditFilter; found: FoundEvents }) {
  const { view, filter, found } = props;
  return (
    <Frame view={view} title="Audit" current="audit">
      <h1>Audit</h1>
      <p class="caption">
        Changes made by the operator, newest first. Property names only, never values.
      </p>
      <Filter filter={filter} />
      <p class="caption">{countOf(filter, found)}</p>
      <AuditTable found={found} label="Events, newest first" />
      {found.oldest && (
        <a class="button" href={withQuery(PATHS.audit, { ...filter, before: found.oldest.id })}>
          Search further back
        </a>
      )}
    </Frame>
  );
}

function countOf(filter: AuditFilter, found: FoundEvents): string {
  const { rows, looked, total, oldest } = found;
  const count = isSet(filter) ? rows.reduce((sum, { length }) => sum + length, 0) : total;
  if (!isSet(filter) || oldest === undefined) return counted(count, 'event');
  const seen = numberText(looked);
  return `${numberText(count)} found in ${seen} events, back to ${timeText(oldest.timestamp)}.`;
}

function isSet(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function Filter({ filter }: { readonly filter: AuditFilter }) {
  const choices = { collection: COLLECTION_NAMES, action: ACTIONS };
  return (
    <form method="get" action={PATHS.audit} class="search">
      {Object.entries(choices).map(([name, values]) => (
        <label>
          {`${name} `}
          <select name={name}>
            <option value="">any</option>
            {values.map((value) => (
              <option selected={value === filter[name as keyof typeof choices]}>{value}</option>
            ))}
          </select>
        </label>
      ))}
      {(['account', 'day', 'record', 'run'] as const).map(
        (name) =>
          (name === 'account' || name === 'day' || filter[name] !== undefined) && (
            <label>
              {`${name} `}
              <input name={name} type={name === 'day' ? 'date' : 'text'} value={filter[name]} />
            </label>
          ),
      )}
      <button type="submit">Filter</button>
      {isSet(filter) && <a href={PATHS.audit}>Show all</a>}
    </form>
  );
}
