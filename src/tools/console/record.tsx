// One record: to read, with the operator's changes of it, and the paths of its form.

import type { StoredRecord } from '../data/service.js';
import { type FoundEvents, searchAudit } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { cut } from './formats.js';
import { Facts, Frame, Notice, page, type View } from './layout.js';
import type { App, ConsoleParts, PageContext } from './parts.js';
import { PATHS, withQuery } from './paths.js';
import {
  fieldsOf,
  isMoney,
  isOfService,
  jsonText,
  labelOf,
  nameOf,
  shownText,
  valueAt,
} from './properties.js';
import { Crumbs, idOf, placeOf, type RecordPlace, recordPath } from './record-place.js';
import { readRecord, showForm, takeForm } from './record-saving.js';

/** The page looks at 200 events, and leads to the search for more. */
const EVENTS_LIMITS = { requestsMax: 1, rowsMax: 20 };
const VALUE_MAX_CHARACTERS = 400;
const NOTICES = new Map([
  ['saved', 'Saved.'],
  ['created', 'Created.'],
  ['unchanged', 'Nothing was changed, so nothing was sent.'],
]);

export function registerRecords(app: App, parts: ConsoleParts): void {
  const { service, formats } = parts;

  app.get('/accounts/:account/:collection/new', (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : showForm(context, { place, id: undefined, base: {} });
  });
  app.post('/accounts/:account/:collection/new', async (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : takeForm(parts, context, place, undefined);
  });

  app.get('/accounts/:account/:collection/:id', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await readRecord(parts, place, idOf(context));
    if (record === undefined) return gone(context, place);
    const filter = { ...place, record: record.id };
    const limits = { ...EVENTS_LIMITS, dayOf: formats.day };
    const props = {
      view: context.get('view'),
      place,
      record,
      events: await searchAudit(service.client, filter, limits),
      notice: NOTICES.get(context.req.query('done') ?? ''),
    };
    return context.html(page(<RecordPage {...props} />));
  });

  app.get('/accounts/:account/:collection/:id/change', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await readRecord(parts, place, idOf(context));
    if (record === undefined) return gone(context, place);
    return showForm(context, { place, id: record.id, base: record });
  });
  app.post('/accounts/:account/:collection/:id/change', async (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : takeForm(parts, context, place, idOf(context));
  });
}

function gone(context: PageContext, place: RecordPlace) {
  const text = (
    <Frame view={context.get('view')} title="No such record">
      <Crumbs place={place} />
      <h1>No such record</h1>
      <p>It may have been deleted, or the id is misspelled.</p>
    </Frame>
  );
  return context.html(page(text), 404);
}

interface RecordProps {
  readonly view: View;
  readonly place: RecordPlace;
  readonly record: StoredRecord;
  readonly events: FoundEvents;
  readonly notice: string | undefined;
}

function RecordPage(props: RecordProps) {
  const { view, place, record, notice } = props;
  const name = nameOf(record);
  const known = fieldsOf(place.collection).map((property) => property.name);
  const others = Object.keys(record).filter(
    (property) => !known.includes(property) && !isOfService(property),
  );
  return (
    <Frame view={view} title={record.id} current="accounts">
      <Crumbs place={place} />
      <div class="title">
        <h1>
          <bdi>{cut(name, 120)}</bdi>
          {name !== record.id && <small> {record.id}</small>}
        </h1>
        <a class="button main" href={`${recordPath(place, record.id)}/change`}>
          Change
        </a>
      </div>
      {notice !== undefined && <Notice kind="good">{notice}</Notice>}
      <div class="columns">
        <section>
          <h2>Properties</h2>
          <Facts
            rows={[...known, ...others].map((property) => [
              cut(labelOf(property)),
              shown(view, record, property),
            ])}
          />
        </section>
        <section>
          <h2>JSON</h2>
          <pre tabindex={0}>{JSON.stringify(record, null, 2)}</pre>
        </section>
      </div>
      <Events {...props} />
    </Frame>
  );
}

function Events({ view, place, record, events }: RecordProps) {
  const { rows, searchedBackTo } = events;
  return (
    <section>
      <h2>Changes by the operator</h2>
      {rows.length > 0 ? (
        <AuditTable view={view} found={events} label="Changes by the operator" />
      ) : (
        <p class="empty">
          {searchedBackTo === undefined
            ? 'None.'
            : `None since ${view.formats.time(searchedBackTo)}.`}
        </p>
      )}
      {searchedBackTo !== undefined && (
        <p>
          <a href={withQuery(PATHS.audit, { ...place, record: record.id })}>Search further back</a>
        </p>
      )}
    </section>
  );
}

function shown({ formats }: View, record: StoredRecord, name: string) {
  const value = valueAt(record, name);
  if (value === undefined) return <span class="none">not set</span>;
  if (value === null || typeof value === 'object') {
    return <code>{jsonText(value, VALUE_MAX_CHARACTERS)}</code>;
  }
  const { currency } = record;
  const unit = isMoney(name) && typeof currency === 'string' ? ` ${cut(currency, 8)}` : '';
  const text =
    typeof value === 'string' && value.length > 80
      ? cut(value, VALUE_MAX_CHARACTERS)
      : shownText(formats, name, value);
  return <bdi>{text + unit}</bdi>;
}
