// The audit log: pages of all events, or a search by collection, action, account.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AuditEvent, Page } from '../../operator-client.js';
import type { AuditFilter, FoundEvents } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { Frame, Pages, type View } from './layout.js';
import { PATHS, withQuery } from './paths.js';

export const ACTIONS: readonly AuditEvent['action'][] = ['create', 'update', 'delete', 'restore'];

interface AuditProps {
  readonly view: View;
  readonly filter: AuditFilter;
  /** A page of all events, or what a search has found. */
  readonly shown: Page<AuditEvent> | FoundEvents;
}

export function AuditPage({ view, filter, shown }: AuditProps) {
  const { words } = view;
  const events = 'items' in shown ? shown.items : shown.events;
  return (
    <Frame view={view} title={words.audit.title} current="audit">
      <h1>{words.audit.title}</h1>
      <p class="caption">{words.audit.text}</p>
      <Filter view={view} filter={filter} />
      <Count view={view} shown={shown} />
      {events.length > 0 && (
        <AuditTable view={view} events={events} caption={words.audit.caption} />
      )}
      {'items' in shown ? (
        <Pages view={view} path={PATHS.audit} query={{}} pagination={shown.pagination} />
      ) : (
        shown.next && (
          <p class="pages">
            <a class="button" href={withQuery(PATHS.audit, { ...filter, ...shown.next })}>
              {words.audit.further}
            </a>
          </p>
        )
      )}
    </Frame>
  );
}

function Count({ view, shown }: Pick<AuditProps, 'view' | 'shown'>) {
  const { words, formats } = view;
  if ('items' in shown) {
    const { total } = shown.pagination;
    return (
      <>
        <p class="count">{words.audit.count(formats.number(total))}</p>
        {total === 0 && <p class="empty">{words.audit.none}</p>}
      </>
    );
  }
  const [count, looked] = [shown.events.length, shown.looked].map(formats.number);
  return (
    <>
      <p class="count">
        {shown.searchedBackTo === undefined
          ? words.audit.foundAll(count ?? '', looked ?? '')
          : words.audit.found(count ?? '', looked ?? '', formats.time(shown.searchedBackTo))}
      </p>
      {shown.events.length === 0 && <p class="empty">{words.audit.noneFound}</p>}
    </>
  );
}

function Filter({ view, filter }: Pick<AuditProps, 'view' | 'filter'>) {
  const { words } = view;
  const isSet = Object.values(filter).some((value) => value !== undefined);
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
        <input name="account" value={filter.account ?? ''} />
      </label>
      {filter.record !== undefined && (
        <label>
          {words.audit.record}
          <input name="record" value={filter.record} />
        </label>
      )}
      <button type="submit">{words.audit.filter}</button>
      {isSet && <a href={PATHS.audit}>{words.audit.clear}</a>}
    </form>
  );
}
