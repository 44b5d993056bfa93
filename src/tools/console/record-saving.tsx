// What the form of a record does: a new record, or a change of one. Nothing is sent
// before the operator has answered what the console asks of it.

import { isSameValue, type JsonObject } from '../../core/domain/json.js';
import { ApiError } from '../../operator-client.js';
import { PageError } from './failure-page.js';
import { page } from './layout.js';
import type { ConsoleParts } from './parts.js';
import { fieldText, parsedObject, propertiesOf } from './properties.js';
import {
  askedOf,
  type Change,
  changeFromFields,
  changeFromJson,
  differences,
  merged,
  problemsByProperty,
  withNulls,
} from './record-change.js';
import { FormPage, type FormProps } from './record-form.js';
import { type RecordPlace, recordPath } from './record-pages.js';
import { idOf, type PageContext, recordOf } from './record-place.js';
import { usedLabels } from './used-labels.js';

type Shown = Omit<FormProps, 'view' | 'labels'>;

export async function showForm(
  { service }: ConsoleParts,
  context: PageContext,
  props: Shown,
  status: 200 | 409 | 422 = 200,
) {
  const { account, collection } = props.place;
  const labels = await usedLabels(service.records(account, collection), collection);
  const view = context.get('view');
  return context.html(page(<FormPage view={view} labels={labels} {...props} />), status);
}

/** The form of a new record, as it was sent. */
export async function takeNew(parts: ConsoleParts, context: PageContext, place: RecordPlace) {
  const read = readForm(parts, context, place, {});
  const props = { place, id: undefined, base: {}, typed: read.typed, json: read.json };
  const show = (more: Partial<Shown>, status: 200 | 422) =>
    showForm(parts, context, { ...props, ...more }, status);
  if (read.change === undefined || read.problems.size > 0) {
    return show({ problems: read.problems }, 422);
  }
  if (read.question !== undefined) return show({ question: read.question }, 200);
  try {
    const { set } = read.change;
    const { id } = await parts.service.records(place.account, place.collection).create(set);
    return context.redirect(`${recordPath(place, id)}?done=created`, 303);
  } catch (error) {
    return show({ problems: problemsOf(error) }, 422);
  }
}

/** The form of a change, as it was sent. */
export async function takeChange(parts: ConsoleParts, context: PageContext, place: RecordPlace) {
  const { service } = parts;
  const id = idOf(context);
  const base = parsedObject(context.get('form').get('base') ?? '');
  if (base === undefined || base['id'] !== id) {
    throw new PageError({
      status: 400,
      sentence: 'The form was incomplete, so nothing was saved. Open the record again.',
      hint: '',
    });
  }
  const read = readForm(parts, context, place, base);
  const props = { place, id, base, typed: read.typed, json: read.json };
  const show = (more: Partial<Shown>, status: 200 | 422) =>
    showForm(parts, context, { ...props, ...more }, status);
  if (read.change === undefined || read.problems.size > 0) {
    return show({ problems: read.problems }, 422);
  }
  if (read.question !== undefined) return show({ question: read.question }, 200);
  const wanted = withNulls(read.change);
  if (Object.keys(wanted).length === 0) {
    return context.redirect(`${recordPath(place, id)}?done=unchanged`, 303);
  }
  const meanwhile = await changedMeanwhile(parts, context, place, base, wanted);
  if (meanwhile !== undefined) return showForm(parts, context, meanwhile, 409);
  try {
    await service.records(place.account, place.collection).update(id, wanted);
  } catch (error) {
    return show({ problems: problemsOf(error) }, 422);
  }
  return context.redirect(`${recordPath(place, id)}?done=saved`, 303);
}

/** The form where somebody else changed or deleted the record; undefined where nobody did. */
async function changedMeanwhile(
  parts: ConsoleParts,
  context: PageContext,
  place: RecordPlace,
  base: JsonObject,
  wanted: JsonObject,
): Promise<Shown | undefined> {
  const now = await recordOf(parts, context, place);
  if (now === undefined) {
    const mine = withoutOwn(merged(base, wanted));
    return { place, id: undefined, base: {}, isGone: true, ...filled(place, mine) };
  }
  if (isSameValue(now, base)) return undefined;
  const mine = filled(place, merged(now, wanted));
  const conflict = differences(base, now, wanted);
  return { place, id: idOf(context), base: now, ...mine, conflict };
}

interface ReadForm {
  /** Undefined where the text stands for no change. */
  readonly change: Change | undefined;
  readonly problems: ReadonlyMap<string, string>;
  /** What the operator must answer first. */
  readonly question: FormProps['question'];
  readonly typed: ReadonlyMap<string, string>;
  readonly json: string;
}

function readForm(
  { formats }: ConsoleParts,
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
  const [half, answer] = (sent.get('save') ?? 'fields').split('-');
  const parsed =
    half === 'json'
      ? changeFromJson(collection, json, base)
      : { ok: true as const, change: changeFromFields(collection, typed, base, formats) };
  if (!parsed.ok) {
    const problems = new Map([['json', parsed.problem]]);
    return { typed, json, change: undefined, problems, question: undefined };
  }
  const { change } = parsed;
  const asked = askedOf(change);
  const isAnswered = asked === '' || (answer === 'sure' && sent.get('asked') === asked);
  const question = isAnswered
    ? undefined
    : { half: half === 'json' ? ('json' as const) : ('fields' as const), asked, change };
  return { typed, json, change, problems: change.problems, question };
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
