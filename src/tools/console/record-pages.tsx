// One record: to read, to change beside its JSON, and to delete after one more
// question.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import type { StoredRecord } from '../data/service.js';
import { valueText } from './account-pages.js';
import type { FoundEvents } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { cut } from './formats.js';
import { HEADINGS } from './labels.js';
import { Facts, Frame, Notice, Scroll, Token, Value, type View } from './layout.js';
import { accountPath, PATHS, withQuery } from './paths.js';
import { isAmount, labelOf, nameOf, propertiesOf, SERVICE_PROPERTIES } from './properties.js';

export interface RecordPlace {
  readonly account: string;
  readonly collection: CollectionName;
}

interface RecordProps {
  readonly view: View;
  readonly place: RecordPlace;
  readonly record: StoredRecord;
  readonly events: FoundEvents;
  readonly notice: string | undefined;
}

export function RecordPage({ view, place, record, events, notice }: RecordProps) {
  const path = recordPath(place, record.id);
  const known = propertiesOf(place.collection).map(({ name }) => name);
  const others = Object.keys(record).filter(
    (name) => !known.includes(name) && !SERVICE_PROPERTIES.has(name),
  );
  return (
    <Frame view={view} title={record.id} current="accounts">
      <Crumbs place={place} />
      <div class="title">
        <h1>
          <Value>{cut(nameOf(record), 120)}</Value>
          {nameOf(record) !== record.id && <small> {record.id}</small>}
        </h1>
        <div class="actions">
          <a class="button main" href={`${path}/change`}>
            Change
          </a>
          <a class="button danger" href={`${path}/delete`}>
            Delete
          </a>
        </div>
      </div>
      {notice !== undefined && <Notice kind="good">{notice}</Notice>}
      <div class="columns">
        <section>
          <h2>Properties</h2>
          <Facts rows={known.map((name) => [labelOf(name), shown(view, record, name)])} />
          {others.length > 0 && (
            <>
              <h2>Other properties</h2>
              <Facts rows={others.map((name) => [cut(name), shown(view, record, name)])} />
            </>
          )}
        </section>
        <section>
          <h2>The record as JSON</h2>
          <Scroll label="The record as JSON">
            <pre>{JSON.stringify(record, null, 2)}</pre>
          </Scroll>
        </section>
      </div>
      <RecordEvents view={view} place={place} id={record.id} events={events} />
    </Frame>
  );
}

function RecordEvents({
  view,
  place,
  id,
  events: found,
}: Pick<RecordProps, 'view' | 'place' | 'events'> & { readonly id: string }) {
  const { formats } = view;
  const { events, searchedBackTo } = found;
  const further = withQuery(PATHS.audit, {
    account: place.account,
    collection: place.collection,
    record: id,
  });
  return (
    <section>
      <h2>Changes by the operator</h2>
      {events.length > 0 && (
        <AuditTable view={view} found={found} caption="Changes by the operator" />
      )}
      {events.length === 0 && (
        <p class="empty">
          {searchedBackTo === undefined
            ? 'None: the operator has not changed this record.'
            : `None, as far back as ${formats.time(searchedBackTo)}.`}
        </p>
      )}
      {searchedBackTo !== undefined && (
        <p>
          <a href={further}>Search further back</a>
        </p>
      )}
    </section>
  );
}

/** A record that is not there. */
export function GoneRecordPage({ view, place }: { view: View; place: RecordPlace }) {
  return (
    <Frame view={view} title={`All ${HEADINGS[place.collection].toLowerCase()}`}>
      <Crumbs place={place} />
      <p class="empty">
        The service has no such record in this account. It may be deleted, or the id is misspelt.
      </p>
    </Frame>
  );
}

interface DeleteProps {
  readonly view: View;
  readonly place: RecordPlace;
  readonly record: StoredRecord;
  /** Somebody changed it since the operator saw it. */
  readonly isChanged?: boolean;
}

export function DeletePage({ view, place, record, isChanged = false }: DeleteProps) {
  const path = recordPath(place, record.id);
  const known = propertiesOf(place.collection).map(({ name }) => name);
  return (
    <Frame view={view} title={`Delete ${record.id}?`} current="accounts">
      <Crumbs place={place} />
      <h1>{`Delete ${record.id}?`}</h1>
      {isChanged && (
        <Notice kind="bad">
          Somebody changed this record meanwhile, so nothing was deleted. Look at it again.
        </Notice>
      )}
      <Facts
        rows={known
          .filter((name) => Object.hasOwn(record, name))
          .map((name) => [labelOf(name), shown(view, record, name)])}
      />
      <p>This cannot be undone. Other records that mention it stay as they are.</p>
      <form method="post" action={`${path}/delete`} class="actions">
        <Token view={view} />
        <input type="hidden" name="base" value={JSON.stringify(record)} />
        <button type="submit" class="danger">
          Delete it
        </button>
        <a class="button" href={path}>
          Keep it
        </a>
      </form>
    </Frame>
  );
}

export function Crumbs({ place }: { readonly place: RecordPlace }) {
  return (
    <p class="crumbs">
      <a href={PATHS.accounts}>Accounts</a>
      {' › '}
      <a href={accountPath(place.account)}>
        <Value>{cut(place.account)}</Value>
      </a>
      {' › '}
      <a href={accountPath(place.account, place.collection)}>{HEADINGS[place.collection]}</a>
    </p>
  );
}

export function recordPath({ account, collection }: RecordPlace, id: string): string {
  return accountPath(account, collection, id);
}

function shown(view: View, record: JsonObject, name: string) {
  const value: JsonValue | undefined = Object.hasOwn(record, name) ? record[name] : undefined;
  if (value === undefined) return <span class="none">not set</span>;
  if (value === null) return <code>null</code>;
  if (isAmount(name) && typeof value === 'number') {
    const currency = typeof record['currency'] === 'string' ? record['currency'] : '';
    return `${view.formats.amount(value)} ${cut(currency, 8)}`;
  }
  if (typeof value === 'object') return <code>{cut(JSON.stringify(value), 400)}</code>;
  return (
    <Value>
      {typeof value === 'string' && value.length > 80
        ? cut(value, 400)
        : valueText(view, name, value)}
    </Value>
  );
}
