// The pages about one record, and what their forms do.

import { isSameValue } from '../../core/domain/json.js';
import { searchAudit } from './audit-search.js';
import { page } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { accountPath } from './paths.js';
import { parsedObject } from './properties.js';
import { DeletePage, RecordPage } from './record-pages.js';
import { gone, placeOf, recordOf } from './record-place.js';
import { showForm, takeChange, takeNew } from './record-saving.js';
import { isNotFound } from './service.js';

/** A record's page looks at 200 events, and leads to the search for more. */
const EVENTS_LIMITS = { requestsMax: 1, foundMax: 20 };
const NOTICES = new Map([
  ['saved', 'The change is saved.'],
  ['created', 'The record is created.'],
  ['unchanged', 'Nothing was changed, so nothing was sent.'],
]);

export function registerRecords(app: App, parts: ConsoleParts): void {
  const { service } = parts;
  const dayOf = parts.formats.day;

  app.get('/accounts/:account/:collection/new', (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    return showForm(parts, context, { place, id: undefined, base: {} });
  });
  app.post('/accounts/:account/:collection/new', async (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : takeNew(parts, context, place);
  });

  app.get('/accounts/:account/:collection/:id', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await recordOf(parts, context, place);
    if (record === undefined) return gone(context, place);
    const filter = { account: place.account, collection: place.collection, record: record.id };
    const events = await searchAudit(service.client, filter, { ...EVENTS_LIMITS, dayOf });
    return context.html(
      page(
        <RecordPage
          view={context.get('view')}
          place={place}
          record={record}
          events={events}
          notice={NOTICES.get(context.req.query('done') ?? '')}
        />,
      ),
    );
  });

  app.get('/accounts/:account/:collection/:id/change', async (context, next) => {
    const place = placeOf(context);
    if (place === undefined) return next();
    const record = await recordOf(parts, context, place);
    if (record === undefined) return gone(context, place);
    return showForm(parts, context, { place, id: record.id, base: record });
  });
  app.post('/accounts/:account/:collection/:id/change', async (context, next) => {
    const place = placeOf(context);
    return place === undefined ? next() : takeChange(parts, context, place);
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
