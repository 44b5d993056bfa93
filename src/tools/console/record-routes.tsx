// The pages about one record, and what their forms do.

import type { Context } from 'hono';
import { isCollectionName } from '../../core/domain/collection-name.js';
import { isSameValue, type JsonObject } from '../../core/domain/json.js';
import { ApiError } from '../../operator-client.js';
import type { StoredRecord } from '../data/service.js';
import { searchAudit } from './audit-search.js';
import { PageError } from './failure-page.js';
import { page } from './layout.js';
import type { App, ConsoleParts, PageEnvironment } from './parts.js';
import { accountPath, textOf } from './paths.js';
import { fieldText, parsedObject, propertiesOf } from './properties.js';
import {
  type Change,
  changeFromFields,
  changeFromJson,
  differences,
  merged,
  problemsByProperty,
  withNulls,
} from './record-change.js';
import { FormPage, type FormProps } from './record-form.js';
import {
  DeletePage,
  GoneRecordPage,
  RecordPage,
  type RecordPlace,
  recordPath,
} from './record-pages.js';
import { isNotFound } from './service.js';

/** A record's page looks at 200 events, and leads to the search for more. */
const EVENTS_LIMITS = { requestsMax: 1, foundMax: 20 };
const NOTICES = ['saved', 'created', 'unchanged'] as const;

type PageContext = Context<PageEnvironment>;

export function registerRecords(app: App, parts: ConsoleParts): void {
  const { service, words } = parts;

  app.get('/accounts/:account/:collection/new', (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    return context.html(form(context, { place, id: undefined, base: {} }));
  });
  app.post('/accounts/:account/:collection/new', async (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : create(parts, context, place);
  });

  app.get('/accounts/:account/:collection/:id', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await recordOf(parts, context, place);
    if (record === undefined) return gone(context, place);
    const filter = { account: place.account, collection: place.collection, record: record.id };
    const events = await searchAudit(service.client, filter, EVENTS_LIMITS);
    const done = NOTICES.find((name) => name === context.req.query('done'));
    return context.html(
      page(
        <RecordPage
          view={context.get('view')}
          place={place}
          record={record}
          events={events}
          notice={done && words.record[done]}
        />,
      ),
    );
  });

  app.get('/accounts/:account/:collection/:id/change', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await recordOf(parts, context, place);
    if (record === undefined) return gone(context, place);
    return context.html(form(context, { place, id: record.id, base: record }));
  });
  app.post('/accounts/:account/:collection/:id/change', async (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : change(parts, context, place);
  });

  app.get('/accounts/:account/:collection/:id/delete', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await recordOf(parts, context, place);
    if (record === undefined) return gone(context, place);
    return context.html(
      page(<DeletePage view={context.get('view')} place={place} record={record} />),
    );
  });
  app.post('/accounts/:account/:collection/:id/delete', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await recordOf(parts, context, place);
    if (record === undefined) return gone(context, place);
    const seen = parsedObject(context.get('form').get('base') ?? '');
    if (seen === undefined || !isSameValue(record, seen)) {
      const view = context.get('view');
      const changed = <DeletePage view={view} place={place} record={record} isChanged />;
      return context.html(page(changed), 409);
    }
    try {
      await service.records(place.account, place.collection).delete(record.id);
    } catch (error) {
      if (isNotFound(error)) return gone(context, place);
      throw error;
    }
    return context.redirect(`${accountPath(place.account, place.collection)}?done=deleted`, 303);
  });
}

async function create(parts: ConsoleParts, context: PageContext, place: RecordPlace) {
  const read = readForm(parts, context, place, {});
  const props = { place, id: undefined, base: {}, typed: read.typed, json: read.json };
  if (read.change === undefined || read.problems.size > 0) {
    return context.html(form(context, { ...props, problems: read.problems }), 422);
  }
  try {
    const { set } = read.change;
    const { id } = await parts.service.records(place.account, place.collection).create(set);
    return context.redirect(`${recordPath(place, id)}?done=created`, 303);
  } catch (error) {
    return context.html(form(context, { ...props, problems: problemsOf(error) }), 422);
  }
}

async function change(parts: ConsoleParts, context: PageContext, place: RecordPlace) {
  const { service, words } = parts;
  const id = idOf(context);
  const base = parsedObject(context.get('form').get('base') ?? '');
  if (base === undefined || base['id'] !== id) {
    throw new PageError({ status: 400, sentence: words.form.badBase, hint: '' });
  }
  const read = readForm(parts, context, place, base);
  const props = { place, id, base, typed: read.typed, json: read.json };
  if (read.change === undefined || read.problems.size > 0) {
    return context.html(form(context, { ...props, problems: read.problems }), 422);
  }
  const { removed } = read.change;
  if (removed.length > 0 && !read.takesNulls) {
    return context.html(form(context, { ...props, removed: { names: removed, half: read.half } }));
  }
  const wanted = withNulls(read.change);
  if (Object.keys(wanted).length === 0) {
    return context.redirect(`${recordPath(place, id)}?done=unchanged`, 303);
  }
  const now = await recordOf(parts, context, place);
  if (now === undefined) {
    const json = merged(base, wanted);
    return context.html(
      form(context, {
        place,
        id: undefined,
        base: {},
        isGone: true,
        ...filled(place, withoutOwn(json)),
      }),
      409,
    );
  }
  if (!isSameValue(now, base)) {
    const conflict = differences(base, now, wanted);
    const mine = merged(now, wanted);
    return context.html(
      form(context, { place, id, base: now, ...filled(place, mine), conflict }),
      409,
    );
  }
  try {
    await service.records(place.account, place.collection).update(id, wanted);
  } catch (error) {
    return context.html(form(context, { ...props, problems: problemsOf(error) }), 422);
  }
  return context.redirect(`${recordPath(place, id)}?done=saved`, 303);
}

interface ReadForm {
  readonly half: 'fields' | 'json';
  readonly takesNulls: boolean;
  /** Undefined where the text stands for no change. */
  readonly change: Change | undefined;
  readonly problems: ReadonlyMap<string, string>;
  readonly typed: ReadonlyMap<string, string>;
  readonly json: string;
}

function readForm(
  { words }: ConsoleParts,
  context: PageContext,
  { collection }: RecordPlace,
  base: JsonObject,
): ReadForm {
  const sent = context.get('form');
  const typed = new Map<string, string>();
  for (const { name } of propertiesOf(collection)) {
    const text = sent.get(`field.${name}`);
    if (text !== null) typed.set(name, text);
  }
  const json = sent.get('json') ?? '';
  const [half, nulls] = (sent.get('save') ?? 'fields').split('-');
  const shared = { takesNulls: nulls === 'nulls', typed, json };
  if (half !== 'json') {
    const wanted = changeFromFields(collection, typed, base, words.form);
    return { ...shared, half: 'fields', change: wanted, problems: wanted.problems };
  }
  const parsed = changeFromJson(json, base);
  const problems = new Map(parsed.ok ? [] : [['json', parsed.problem] as const]);
  return { ...shared, half, change: parsed.ok ? parsed.change : undefined, problems };
}

/** The form's values, when they differ from the record in the service. */
function filled({ collection }: RecordPlace, record: JsonObject) {
  const typed = propertiesOf(collection).flatMap((property) => {
    const value = Object.hasOwn(record, property.name) ? record[property.name] : undefined;
    const text = fieldText(property, value);
    return text === undefined ? [] : [[property.name, text] as const];
  });
  return { typed: new Map(typed), json: JSON.stringify(record, null, 2) };
}

function withoutOwn({ id: _id, owner_sub: _owner, ownerSub: _mirror, ...rest }: JsonObject) {
  return rest;
}

/** The service's sentences at the fields that they name; what is no refusal of the record goes on. */
function problemsOf(error: unknown): ReadonlyMap<string, string> {
  const isRefusal =
    error instanceof ApiError &&
    ['VALIDATION_FAILED', 'QUOTA_EXCEEDED', 'INVALID_JSON'].includes(error.code);
  if (!isRefusal) throw error;
  return problemsByProperty(error.message);
}

async function recordOf(
  { service }: ConsoleParts,
  context: PageContext,
  { account, collection }: RecordPlace,
): Promise<StoredRecord | undefined> {
  try {
    return await service.records(account, collection).read(idOf(context));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function form(context: PageContext, props: Omit<FormProps, 'view'>): string {
  return page(<FormPage view={context.get('view')} {...props} />);
}

function gone(context: PageContext, place: RecordPlace) {
  return context.html(page(<GoneRecordPage view={context.get('view')} place={place} />), 404);
}

/** Undefined where the path names no collection. */
function placeOf(context: PageContext): RecordPlace | undefined {
  const collection = context.req.param('collection') ?? '';
  if (!isCollectionName(collection)) return undefined;
  return { account: textOf(context.req.param('account') ?? ''), collection };
}

function idOf(context: PageContext): string {
  return textOf(context.req.param('id') ?? '');
}
