// The audit page with its filters, and the table of events that other pages use, too.

import { COLLECTION_NAMES, isCollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import { truncate } from '../data/errors.js';
import {
  type AuditFilter,
  type AuditRow,
  FILTERS,
  type FoundEvents,
  searchAudit,
} from './audit-search.js';
import type { App, ConsoleDeps } from './deps.js';
import { counted, numberText, timeText } from './formats.js';
import { Frame, Table } from './layout.js';
import { accountPath, PATHS, withQuery } from './paths.js';

const NAMES_MAX = 8;
const NAME_MAX_CHARACTERS = 40;
const CHOICES: { readonly [Name in keyof AuditFilter]?: readonly string[] } = {
  collection: COLLECTION_NAMES,
  action: ['create', 'update', 'delete', 'restore'],
};

export function registerAudit(app: App, { client }: ConsoleDeps): void {
  app.get(PATHS.audit, async (context) => {
    const query = (name: string) => context.req.query(name) ?? '';
    const given = FILTERS.filter((name) => query(name) !== '');
    const filter: AuditFilter = Object.fromEntries(given.map((name) => [name, query(name)]));
    const found = await searchAudit(client, filter, { page: Number(query('page')) || 1 });
    const { rest } = found;
    return context.html(
      <Frame title="Audit" current="audit">
        <h1>Audit</h1>
        <p class="caption">
          Changes made by the operator, newest first. Property names only, never values.
        </p>
        <Filter filter={filter} />
        <p class="caption">{countOf(filter, found)}</p>
        <AuditTable found={found} label="Events, newest first" />
        {rest && (
          <a class="button" href={withQuery(PATHS.audit, { ...filter, page: rest.page })}>
            Search further back
          </a>
        )}
      </Frame>,
    );
  });
}

function isSet(filter: AuditFilter): boolean {
  return Object.keys(filter).length > 0;
}

function countOf(filter: AuditFilter, { rows, eventsRead, total, rest }: FoundEvents): string {
  if (!isSet(filter)) return counted(total, 'event');
  const count = rows.flat().length;
  if (rest === undefined) return counted(count, 'event');
  const since = timeText(rest.oldest.timestamp);
  return `${numberText(count)} found in ${numberText(eventsRead)} events, back to ${since}.`;
}

/** Links may also filter by record or run, which then have a field, too. */
function Filter({ filter }: { readonly filter: AuditFilter }) {
  const shown = FILTERS.filter((name) => filter[name] || !['record', 'run'].includes(name));
  return (
    <form method="get" action={PATHS.audit} class="search">
      {shown.map((name) => (
        <label for={name}>
          {`${name} `}
          {CHOICES[name] ? (
            <select id={name} name={name}>
              <option value="">any</option>
              {CHOICES[name].map((value) => (
                <option selected={value === filter[name]}>{value}</option>
              ))}
            </select>
          ) : (
            <input
              id={name}
              name={name}
              type={name === 'day' ? 'date' : 'text'}
              value={filter[name]}
            />
          )}
        </label>
      ))}
      <button type="submit">Filter</button>
      {isSet(filter) && <a href={PATHS.audit}>Show all</a>}
    </form>
  );
}

interface AuditTableProps {
  readonly found: FoundEvents;
  readonly max?: number;
  readonly label: string;
}

export function AuditTable({ found: { rows, rest }, max, label }: AuditTableProps) {
  return (
    <Table
      label={label}
      columns={['When', 'Action', 'Record', 'Account', 'Properties']}
      rows={rows.slice(0, max).map((row) => {
        const [{ timestamp, action, owner_sub, run }] = row;
        const account = owner_sub && <a href={accountPath(owner_sub)}>{truncate(owner_sub)}</a>;
        const records = counted(row.length, 'record');
        const mayHaveMore = rest !== undefined && row.at(-1)?.id === rest.oldest.id;
        return [
          timeText(timestamp),
          <span class={action}>{action}</span>,
          row.length === 1 ? (
            linkOf(row[0])
          ) : (
            <a href={withQuery(PATHS.audit, { run })}>
              {records + (mayHaveMore ? ' or more' : '')}
            </a>
          ),
          account,
          row.length === 1 ? namesOf(row[0]) : countsOf(row),
        ];
      })}
    />
  );
}

/** No link for a deleted record, or for a restore, whose id is a file name. */
function linkOf({ resource, record_id: id, owner_sub: account, action }: AuditEvent) {
  if (!isCollectionName(resource) || action === 'delete' || account === '') return truncate(id);
  return <a href={accountPath(account, resource, id)}>{id}</a>;
}

function namesOf({ changed, changed_omitted = 0 }: AuditEvent): string {
  const names = changed.slice(0, NAMES_MAX).map((name) => truncate(name, NAME_MAX_CHARACTERS));
  const more = changed.length - names.length + changed_omitted;
  return names.join(', ') + (more === 0 ? '' : ` and ${more} more`);
}

function countsOf(row: AuditRow): string {
  const counts = new Map<string, number>();
  for (const { resource } of row) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${numberText(count)} ${name}`).join(', ');
}
