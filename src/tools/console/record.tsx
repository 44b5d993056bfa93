// A record's page with the operator's changes to it, and its form, which creates, changes or deletes a
// record unless someone changed it since the form was opened.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { isJsonObject, isSameValue, type JsonObject } from '../../core/domain/json.js';
import { ApiError } from '../../operator-client.js';
import { truncate } from '../data/errors.js';
import { recordsOf, type StoredRecord } from '../data/service-client.js';
import { AuditTable } from './audit.js';
import { searchAudit } from './audit-search.js';
import type { App, ConsoleDeps, PageContext } from './deps.js';
import { PageError } from './error-page.js';
import { shortText, timeText } from './formats.js';
import { Crumbs, DescriptionList, Frame, Notice } from './layout.js';
import { accountPath, PATHS, segmentIn, withQuery } from './paths.js';
import {
  columnsOf,
  fieldsOf,
  isMoney,
  isOfService,
  jsonText,
  labelOf,
  type RecordScope,
  shownText,
  valueAt,
} from './properties.js';
import { changeOf, formTexts } from './record-change.js';
import { FormPage, type FormProps } from './record-form.js';
import { ifFound } from './service-requests.js';

const EVENTS_MAX = 20;
const VALUE_MAX_CHARACTERS = 400;
const NOTICES = new Map([
  ['saved', 'Saved.'],
  ['created', 'Created.'],
  ['unchanged', 'Nothing changed, so nothing was sent.'],
]);
const REFUSALS = ['VALIDATION_FAILED', 'QUOTA_EXCEEDED', 'INVALID_JSON'];
const PATH = `/accounts/:account/:collection{(?:${COLLECTION_NAMES.join('|')})}`;

export function registerRecords(app: App, deps: ConsoleDeps): void {
  app.get(`${PATH}/new`, (context) =>
    showForm(context, { ...locationOf(context), id: undefined, base: {} }),
  );
  app.post(`${PATH}/new`, (context) => takeForm(deps, context, undefined));
  app.get(`${PATH}/:id`, async (context) => {
    return showRecord(deps, context, await recordFound(deps, context));
  });
  app.get(`${PATH}/:id/change`, async (context) => {
    const base = await recordFound(deps, context);
    return showForm(context, { ...locationOf(context), id: base.id, base });
  });
  app.post(`${PATH}/:id/change`, (context) => takeForm(deps, context, segmentIn(context, 'id')));
}

function locationOf(context: PageContext): RecordScope {
  const collection = context.req.param('collection') as CollectionName;
  return { account: segmentIn(context, 'account'), collection };
}

/** Throws a `PageError` if the account has no such record. */
async function recordFound({ client }: ConsoleDeps, context: PageContext): Promise<StoredRecord> {
  const { account, collection } = locationOf(context);
  const record = await ifFound(
    recordsOf(client, account, collection).read(segmentIn(context, 'id')),
  );
  if (record !== undefined) return record;
  const hint = 'It may have been deleted, or the id is misspelled.';
  throw new PageError(404, 'The service has no such record.', hint);
}

async function showRecord({ client }: ConsoleDeps, context: PageContext, record: StoredRecord) {
  const { account, collection } = locationOf(context);
  const filter = { account, collection, record: record.id };
  // Only one page of the log; the page links to the search for more.
  const events = await searchAudit(client, filter, { pagesMax: 1 });
  const since = events.rest?.oldest.timestamp;
  const notice = NOTICES.get(context.req.query('done') ?? '');
  const name = shortText(valueAt(record, columnsOf(collection)[0])).trim() || record.id;
  const known = fieldsOf(collection).map((property) => property.name);
  const others = Object.keys(record).filter((own) => !known.includes(own) && !isOfService(own));
  return context.html(
    <Frame title={record.id} current="accounts">
      <Crumbs record={{ account, collection }} />
      <div class="title">
        <h1>
          <bdi>{name}</bdi>
          {name !== record.id && <small> {record.id}</small>}
        </h1>
        <a class="button main" href={`${accountPath(account, collection, record.id)}/change`}>
          Change
        </a>
      </div>
      {notice !== undefined && <Notice kind="good">{notice}</Notice>}
      <div class="columns">
        <section>
          <h2>Properties</h2>
          <DescriptionList
            rows={[...known, ...others].map((property) => [
              truncate(labelOf(property)),
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
          <p class="empty">{since === undefined ? 'None.' : `None since ${timeText(since)}.`}</p>
        )}
        <AuditTable found={events} max={EVENTS_MAX} label="Changes by the operator" />
        {since && <a href={withQuery(PATHS.audit, filter)}>Search further back</a>}
      </section>
    </Frame>,
  );
}

function shown(record: StoredRecord, name: string) {
  const value = valueAt(record, name);
  if (value === undefined) return <span class="none">not set</span>;
  if (value === null || typeof value === 'object') {
    return <code>{jsonText(value, VALUE_MAX_CHARACTERS)}</code>;
  }
  if (typeof value === 'string' && value.length > 80) return truncate(value, VALUE_MAX_CHARACTERS);
  const { currency } = record;
  const unit = isMoney(name) && typeof currency === 'string' ? ` ${truncate(currency, 8)}` : '';
  return shownText(name, value) + unit;
}

function showForm(context: PageContext, props: FormProps, status: 200 | 409 | 422 = 200) {
  return context.html(<FormPage {...props} />, status);
}

/** `id`: undefined for a new record. */
async function takeForm(deps: ConsoleDeps, context: PageContext, id: string | undefined) {
  const { account, collection } = locationOf(context);
  const typed = context.get('form');
  const base = baseIn(typed, id);
  const form = { account, collection, id, base, typed };
  const records = recordsOf(deps.client, account, collection);
  const isDelete = typed.get('do') === 'delete';
  const { set, problems } = changeOf(collection, typed, base);
  if (!isDelete && problems.size > 0) return showForm(context, { ...form, problems }, 422);
  const done = (path: string, what: string) => context.redirect(`${path}?done=${what}`, 303);
  try {
    if (id === undefined) {
      const made = await records.create(set);
      return done(accountPath(account, collection, made.id), 'created');
    }
    const path = accountPath(account, collection, id);
    if (!isDelete && Object.keys(set).length === 0) return done(path, 'unchanged');
    const now = await ifFound(records.read(id));
    if (now === undefined) {
      const sentence = 'Someone deleted this record in the meantime.';
      throw new PageError(409, sentence, 'Nothing was saved.');
    }
    if (!isSameValue(now, base)) {
      const typed = formTexts(collection, { ...now, ...set });
      return showForm(context, { ...form, base: now, typed, outdated: base }, 409);
    }
    if (isDelete) {
      await records.delete(id);
      return done(accountPath(account, collection), 'deleted');
    }
    await records.update(id, set);
    return done(path, 'saved');
  } catch (error) {
    if (!(error instanceof ApiError && REFUSALS.includes(error.code))) throw error;
    return showForm(context, { ...form, problems: problemsOf(error) }, 422);
  }
}

/** The service's sentences by property; one under `''` is about the whole record. */
function problemsOf(error: ApiError): Map<string, string> {
  const fields = error.code === 'VALIDATION_FAILED' ? Object.entries(error.fields) : [];
  if (fields.length === 0) return new Map([['', error.message]]);
  return new Map(fields.map(([name, { message }]) => [name, `${labelOf(name)} ${message}.`]));
}

/** The record as the form showed it. Throws a `PageError` if it is incomplete. */
function baseIn(sent: URLSearchParams, id: string | undefined): JsonObject {
  try {
    const base: unknown = JSON.parse(sent.get('base') ?? '');
    if (isJsonObject(base) && base['id'] === id) return base;
  } catch {
    // Thrown below.
  }
  throw new PageError(400, 'The form was incomplete, so nothing was saved.', 'Open it again.');
}
