// One record: to read, to change beside its JSON, and to delete after one more
// question.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import type { StoredRecord } from '../data/service.js';
import { valueText } from './account-pages.js';
import type { FoundEvents } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { cut } from './formats.js';
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
  const { words } = view;
  const path = recordPath(place, record.id);
  const known = propertiesOf(place.collection).map(({ name }) => name);
  const others = Object.keys(record).filter(
    (name) => !known.includes(name) && !SERVICE_PROPERTIES.has(name),
  );
  return (
    <Frame view={view} title={record.id} current="accounts">
      <Crumbs view={view} place={place} />
      <div class="title">
        <h1>
          <Value>{cut(nameOf(record), 120)}</Value>
          {nameOf(record) !== record.id && <small> {record.id}</small>}
        </h1>
        <div class="actions">
          <a class="button main" href={`${path}/change`}>
            {words.record.edit}
          </a>
          <a class="button danger" href={`${path}/delete`}>
            {words.record.delete}
          </a>
        </div>
      </div>
      {notice !== undefined && <Notice kind="good">{notice}</Notice>}
      <div class="columns">
        <section>
          <h2>{words.record.known}</h2>
          <Facts rows={known.map((name) => [labelOf(name), shown(view, record, name)])} />
          {others.length > 0 && (
            <>
              <h2>{words.record.others}</h2>
              <Facts rows={others.map((name) => [cut(name), shown(view, record, name)])} />
            </>
          )}
        </section>
        <section>
          <h2>{words.record.json}</h2>
          <Scroll label={words.record.json}>
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
  const { words, formats } = view;
  const { events, searchedBackTo } = found;
  const further = withQuery(PATHS.audit, {
    account: place.account,
    collection: place.collection,
    record: id,
  });
  return (
    <section>
      <h2>{words.record.events}</h2>
      {events.length > 0 && <AuditTable view={view} found={found} caption={words.record.events} />}
      {events.length === 0 && (
        <p class="empty">
          {searchedBackTo === undefined
            ? words.record.noEventsAtAll
            : words.record.noEvents(formats.time(searchedBackTo))}
        </p>
      )}
      {searchedBackTo !== undefined && (
        <p>
          <a href={further}>{words.record.searchFurther}</a>
        </p>
      )}
    </section>
  );
}

/** A record that is not there. */
export function GoneRecordPage({ view, place }: { view: View; place: RecordPlace }) {
  const { words } = view;
  return (
    <Frame view={view} title={words.record.toList(words.collections[place.collection])}>
      <Crumbs view={view} place={place} />
      <p class="empty">{words.record.gone}</p>
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
  const { words } = view;
  const path = recordPath(place, record.id);
  const known = propertiesOf(place.collection).map(({ name }) => name);
  return (
    <Frame view={view} title={words.delete.title(record.id)} current="accounts">
      <Crumbs view={view} place={place} />
      <h1>{words.delete.title(record.id)}</h1>
      {isChanged && <Notice kind="bad">{words.delete.changed}</Notice>}
      <Facts
        rows={known
          .filter((name) => Object.hasOwn(record, name))
          .map((name) => [labelOf(name), shown(view, record, name)])}
      />
      <p>{words.delete.text}</p>
      <form method="post" action={`${path}/delete`} class="actions">
        <Token view={view} />
        <input type="hidden" name="base" value={JSON.stringify(record)} />
        <button type="submit" class="danger">
          {words.delete.button}
        </button>
        <a class="button" href={path}>
          {words.delete.cancel}
        </a>
      </form>
    </Frame>
  );
}

export function Crumbs({ view, place }: { readonly view: View; readonly place: RecordPlace }) {
  const { words } = view;
  return (
    <p class="crumbs">
      <a href={PATHS.accounts}>{words.accounts.title}</a>
      {' › '}
      <a href={accountPath(place.account)}>
        <Value>{cut(place.account)}</Value>
      </a>
      {' › '}
      <a href={accountPath(place.account, place.collection)}>
        {words.collections[place.collection]}
      </a>
    </p>
  );
}

export function recordPath({ account, collection }: RecordPlace, id: string): string {
  return accountPath(account, collection, id);
}

function shown(view: View, record: JsonObject, name: string) {
  const value: JsonValue | undefined = Object.hasOwn(record, name) ? record[name] : undefined;
  if (value === undefined) return <span class="none">{view.words.record.notSet}</span>;
  if (value === null) return <code>null</code>;
  if (isAmount(name) && typeof value === 'number') {
    const currency = typeof record['currency'] === 'string' ? record['currency'] : '';
    return view.words.record.currencyOf(view.formats.amount(value), cut(currency, 8));
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
