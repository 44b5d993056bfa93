// The audit log: all events, or those of a collection, action, account or day.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import type { AuditFilter, FoundEvents } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { counted, HEADINGS } from './labels.js';
import { Frame, type View } from './layout.js';
import { PATHS, withQuery } from './paths.js';

export const ACTIONS: readonly AuditEvent['action'][] = ['create', 'update', 'delete', 'restore'];

interface AuditProps {
  readonly view: View;
  readonly filter: AuditFilter;
  readonly shown: FoundEvents;
}

export function AuditPage({ view, filter, shown }: AuditProps) {
  const { events, next } = shown;
  return (
    <Frame view={view} title="Audit" current="audit">
      <h1>Audit</h1>
      <p class="caption">
        Changes that the operator made through the administration API, newest first. Values are
        never kept.
      </p>
      <Filter filter={filter} />
      <Count view={view} filter={filter} shown={shown} />
      {events.length > 0 && (
        <AuditTable
          view={view}
          found={shown}
          caption="Events, newest first"
          isEach={filter.newest !== undefined}
        />
      )}
      {next && (
        <p class="pages">
          <a class="button" href={withQuery(PATHS.audit, { ...filter, ...next })}>
            Search further back
          </a>
        </p>
      )}
    </Frame>
  );
}

function Count({ view, filter, shown }: AuditProps) {
  const { formats } = view;
  const { events, looked, total, searchedBackTo } = shown;
  if (!isSet(filter)) {
    return (
      <>
        <p class="count">{counted(formats.number(total), 'event')}</p>
        {total === 0 && <p class="empty">The operator has changed nothing yet.</p>}
      </>
    );
  }
  const [count = '', seen = ''] = [events.length, looked].map(formats.number);
  return (
    <>
      <p class="count">
        {searchedBackTo === undefined
          ? `${count} found; no other event matches.`
          : `${count} found among ${seen} events, searched back to ${formats.time(searchedBackTo)}.`}
      </p>
      {events.length === 0 && (
        <p class="empty">No event matches. Search further back, or take a filter away.</p>
      )}
    </>
  );
}

function isSet(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function Filter({ filter }: Pick<AuditProps, 'filter'>) {
  return (
    <form method="get" action={PATHS.audit} class="search">
      <label>
        Collection
        <select name="collection">
          <option value="">any</option>
          {COLLECTION_NAMES.map((name) => (
            <option value={name} selected={name === filter.collection}>
              {HEADINGS[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Action
        <select name="action">
          <option value="">any</option>
          {ACTIONS.map((name) => (
            <option value={name} selected={name === filter.action}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Account
        <input name="account" value={filter.account ?? ''} placeholder="the whole subject" />
      </label>
      <label>
        Day
        <input type="date" name="day" value={filter.day ?? ''} />
      </label>
      {filter.record !== undefined && (
        <label>
          Record
          <input name="record" value={filter.record} />
        </label>
      )}
      <button type="submit">Filter</button>
      {isSet(filter) && <a href={PATHS.audit}>Show all</a>}
    </form>
  );
}
