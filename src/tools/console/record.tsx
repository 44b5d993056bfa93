// One record with the operator's changes to it, and the paths of its form.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { StoredRecord } from '../data/service.js';
import { searchAudit } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { PageError } from './failure.js';
import { cut, timeText } from './formats.js';
import { Facts, Frame, Notice, page } from './layout.js';
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
  ['unchanged', 'Nothing changed, so nothing was sent.'],
]);
const PATH = `/accounts/:account/:collection{(?:${COLLECTION_NAMES.join('|')})}`;

export function registerRecords(app: App, parts: ConsoleParts): void {
  type Given = [context: PageContext, place: RecordPlace, record: StoredRecord];
  const ofRecord =
    (show: (...given: Given) => Response | Promise<Response>) => async (context: PageContext) => {
      const place = placeOf(context);
      const record = await readRecord(parts, place, idOf(context));
      if (record !== undefined) return show(context, place, record);
      const hint = 'It may have been deleted, or the id is misspelled.';
      throw new PageError(404, 'The service has no such record.', hint);
    };
  app.get(`${PATH}/new`, (context) =>
    showForm(context, { place: placeOf(context), id: undefined, base: {} }),
  );
  app.post(`${PATH}/new`, (context) => takeForm(parts, context, placeOf(context), undefined));
  app.get(
    `${PATH}/:id`,
    ofRecord((...given) => showRecord(parts, ...given)),
  );
  app.get(
    `${PATH}/:id/change`,
    ofRecord((context, place, base) => showForm(context, { place, id: base.id, base })),
  );
  app.post(`${PATH}/:id/change`, (context) =>
    takeForm(parts, context, placeOf(context), idOf(context)),
  );
}

async function showRecord(
  { client }: ConsoleParts,
  context: PageContext,
  place: RecordPlace,
  record: StoredRecord,
) {
  const filter = { ...place, record: record.id };
  const events = await searchAudit(client, filter, EVENTS_LIMITS);
  const { oldest } = events;
  const notice = NOTICES.get(context.req.query('done') ?? '');
  const name = nameOf(record);
  const known = fieldsOf(place.collection).map((property) => property.name);
  const others = Object.keys(record).filter((own) => !known.includes(own) && !isOfService(own));
  const text = (
    <Frame view={context.get('view')} title={record.id} current="accounts">
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
              shown(record, property),
            ])}
          />
        </section>
        <section>
          <h2>JSON</h2>
          <pre tabindex={0}>{JSON.stringify(record, null, 2)}</pre>
        </section>
      </div>
      <section>
        <h2>Changes by the operator</h2>
        {events.rows.length === 0 && (
          <p class="empty">
            {oldest === undefined ? 'None.' : `None since ${timeText(oldest.timestamp)}.`}
          </p>
        )}
        <AuditTable found={events} label="Changes by the operator" />
        {oldest && <a href={withQuery(PATHS.audit, filter)}>Search further back</a>}
      </section>
    </Frame>
  );
  return context.html(page(text));
}

function shown(record: StoredRecord, name: string) {
  const value = valueAt(record, name);
  if (value === undefined) return <span class="none">not set</span>;
  if (value === null || typeof value === 'object') {
    return <code>{jsonText(value, VALUE_MAX_CHARACTERS)}</code>;
  }
  if (typeof value === 'string' && value.length > 80) return cut(value, VALUE_MAX_CHARACTERS);
  const { currency } = record;
  const unit = isMoney(name) && typeof currency === 'string' ? ` ${cut(currency, 8)}` : '';
  return shownText(name, value) + unit;
}
