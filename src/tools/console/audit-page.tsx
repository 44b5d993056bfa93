// The audit log: all events, or those of a collection, action, account or day.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import type { AuditFilter, FoundEvents } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { Frame, type View } from './layout.js';
import { PATHS, withQuery } from './paths.js';

export const ACTIONS: readonly AuditEvent['action'][] = ['create', 'update', 'delete', 'restore'];

interface AuditProps {
  readonly view: View;
  readonly filter: AuditFilter;
  readonly shown: FoundEvents;
}

export function AuditPage({ view, filter, shown }: AuditProps) {
  const { words } = view;
  const { events, next } = shown;
  return (
    <Frame view={view} title={words.audit.title} current="audit">
      <h1>{words.audit.title}</h1>
      <p class="caption">{words.audit.text}</p>
      <Filter view={view} filter={filter} />
      <Count view={view} filter={filter} shown={shown} />
      {events.length > 0 && (
        <AuditTable
          view={view}
          found={shown}
          caption={words.audit.caption}
          isEach={filter.newest !== undefined}
        />
      )}
      {next && (
        <p class="pages">
          <a class="button" href={withQuery(PATHS.audit, { ...filter, ...next })}>
            {words.audit.further}
          </a>
        </p>
      )}
    </Frame>
  );
}

function Count({ view, filter, shown }: AuditProps) {
  const { words, formats } = view;
  const { events, looked, total, searchedBackTo } = shown;
  if (!isSet(filter)) {
    return (
      <>
        <p class="count">{words.audit.count(formats.number(total))}</p>
        {total === 0 && <p class="empty">{words.audit.none}</p>}
      </>
    );
  }
  const [count = '', seen = ''] = [events.length, looked].map(formats.number);
  return (
    <>
      <p class="count">
        {searchedBackTo === undefined
          ? words.audit.foundAll(count)
          : words.audit.found(count, seen, formats.time(searchedBackTo))}
      </p>
      {events.length === 0 && <p class="empty">{words.audit.noneFound}</p>}
    </>
  );
}

function isSet(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function Filter({ view, filter }: Pick<AuditProps, 'view' | 'filter'>) {
  const { words } = view;
  return (
    <form method="get" action={PATHS.audit} class="search">
      <label>
        {words.audit.collection}
        <select name="collection">
          <option value="">{words.audit.any}</option>
          {COLLECTION_NAMES.map((name) => (
            <option value={name} selected={name === filter.collection}>
              {words.collections[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.audit.action}
        <select name="action">
          <option value="">{words.audit.any}</option>
          {ACTIONS.map((name) => (
            <option value={name} selected={name === filter.action}>
              {words.actions[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.audit.account}
        <input name="account" value={filter.account ?? ''} placeholder="the whole subject" />
      </label>
      <label>
        Day
        <input type="date" name="day" value={filter.day ?? ''} />
      </label>
      {filter.record !== undefined && (
        <label>
          {words.audit.record}
          <input name="record" value={filter.record} />
        </label>
      )}
      <button type="submit">{words.audit.filter}</button>
      {isSet(filter) && <a href={PATHS.audit}>{words.audit.clear}</a>}
    </form>
  );
}
