// What the form of a record does: creates, changes or deletes it, unless someone changed it since
// the form was opened.

import { isJsonObject, isSameValue, type JsonObject } from '../../core/domain/json.js';
import { ApiError } from '../../operator-client.js';
import { recordsOf } from '../data/service.js';
import { PageError } from './failure.js';
import { page } from './layout.js';
import type { ConsoleParts, PageContext } from './parts.js';
import { accountPath } from './paths.js';
import { labelOf } from './properties.js';
import { changeOf, formTexts, merged } from './record-change.js';
import { FormPage, type FormProps } from './record-form.js';
import { type RecordPlace, recordPath } from './record-place.js';
import { found } from './service.js';

type Shown = Omit<FormProps, 'view'>;

const REFUSALS = ['VALIDATION_FAILED', 'QUOTA_EXCEEDED', 'INVALID_JSON'];

export function showForm(context: PageContext, props: Shown, status: 200 | 409 | 422 = 200) {
  return context.html(page(<FormPage view={context.get('view')} {...props} />), status);
}

/** Undefined if the account has no such record. */
export function readRecord({ client }: ConsoleParts, place: RecordPlace, id: string) {
  return found(recordsOf(client, place.account, place.collection).read(id));
}

/** `id`: undefined for a new record. */
export async function takeForm(
  parts: ConsoleParts,
  context: PageContext,
  place: RecordPlace,
  id: string | undefined,
) {
  const typed = context.get('form');
  const base = baseIn(typed, id);
  const form = { place, id, base, typed };
  const records = recordsOf(parts.client, place.account, place.collection);
  const isDelete = typed.get('do') === 'delete';
  const { set, problems } = isDelete
    ? { set: {}, problems: new Map() }
    : changeOf(place.collection, typed, base);
  if (problems.size > 0) return showForm(context, { ...form, problems }, 422);
  const done = (path: string, what: string) => context.redirect(`${path}?done=${what}`, 303);
  try {
    if (id === undefined) {
      return done(recordPath(place, (await records.create(set)).id), 'created');
    }
    const path = recordPath(place, id);
    if (!isDelete && Object.keys(set).length === 0) return done(path, 'unchanged');
    const now = await readRecord(parts, place, id);
    if (now === undefined) {
      throw new PageError(
        409,
        'Someone deleted this record in the meantime.',
        'Nothing was saved.',
      );
    }
    if (!isSameValue(now, base)) {
      const mine = merged(now, set);
      const texts = formTexts(place.collection, mine);
      return showForm(context, { place, id, base: now, typed: texts, outdated: base }, 409);
    }
    if (isDelete) {
      await records.delete(id);
      return done(accountPath(place.account, place.collection), 'deleted');
    }
    await records.update(id, set);
    return done(path, 'saved');
  } catch (error) {
    if (!(error instanceof ApiError && REFUSALS.includes(error.code))) throw error;
    return showForm(context, { ...form, problems: problemsOf(error) }, 422);
  }
}

/** The service's sentences by property; under `''` one about the record as a whole. */
function problemsOf(error: ApiError): Map<string, string> {
  const fields = error.code === 'VALIDATION_FAILED' ? Object.entries(error.fields) : [];
  if (fields.length === 0) return new Map([['', error.message]]);
  return new Map(
    fields.map(([name, { reason, message }]) => {
      const isNothing = reason === 'missing' || reason === 'empty' || message.startsWith('is null');
      return [name, isNothing ? `${labelOf(name)} is required.` : `${name} ${message}`];
    }),
  );
}

/** The record as the form showed it. Throws a `PageError` if it is incomplete. */
function baseIn(sent: URLSearchParams, id: string | undefined): JsonObject {
  try {
    const base: unknown = JSON.parse(sent.get('base') ?? '');
    if (isJsonObject(base) && base['id'] === id) return base;
  } catch {
    // Told below.
  }
  throw new PageError(400, 'The form was incomplete, so nothing was saved.', 'Open it again.');
}
