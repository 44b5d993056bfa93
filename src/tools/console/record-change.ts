// Computes the change from a submitted form: only what differs from what the form showed.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { isSameValue, type JsonObject, parseJsonObject, setOwn } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { type CellValue, parseCell } from '../data/cell-values.js';
import { fieldsOf, fieldText, isOfService, propertiesBut, valueAt } from './properties.js';

/** The field for the properties that have no field of their own. */
export const JSON_FIELD = 'json';

export function fieldName(property: string): string {
  return `field.${property}`;
}

/** The texts of a form that shows the record. */
export function formTexts(collection: CollectionName, record: JsonObject): URLSearchParams {
  const texts = new URLSearchParams();
  const names = new Set<string>();
  for (const property of fieldsOf(collection)) {
    const text = fieldText(property, valueAt(record, property.name));
    if (text === undefined) continue;
    texts.set(fieldName(property.name), text);
    names.add(property.name);
  }
  texts.set(fieldName(JSON_FIELD), JSON.stringify(propertiesBut(record, names), null, 2));
  return texts;
}

/** `base`: the record as the form showed it. */
export function changeOf(collection: CollectionName, sent: URLSearchParams, base: JsonObject) {
  /** New values by property; null for a removed one, because a merge can't remove it. */
  const set: JsonObject = {};
  /** Sentences by property, or by `json`. */
  const problems = new Map<string, string>();
  const shown = formTexts(collection, base);
  const inFields = new Set<string>();
  for (const property of fieldsOf(collection)) {
    const name = fieldName(property.name);
    // Browsers send every line break as CR LF.
    const text = sent.get(name)?.replaceAll('\r\n', '\n');
    if (text !== undefined || shown.has(name)) inFields.add(property.name);
    if (text === undefined || text === (shown.get(name) ?? '')) continue;
    const typed = typedValue(property, text);
    if (typed.ok) setOwn(set, property.name, typed.value);
    else problems.set(property.name, `“${text}”: ${typed.problem}.`);
  }
  const json = sent.get(fieldName(JSON_FIELD));
  if (json !== null) {
    const problem = addJson(set, json, propertiesBut(base, inFields), inFields);
    if (problem !== undefined) problems.set(JSON_FIELD, problem);
  }
  return { set, problems };
}

/** Adds what differs from `before`. Returns the problem, if there is one. */
function addJson(
  set: JsonObject,
  json: string,
  before: JsonObject,
  inFields: ReadonlySet<string>,
): string | undefined {
  const parsed = parseJsonObject(json.trim() === '' ? '{}' : json);
  // The service's message is about a request body.
  if (!parsed.ok)
    return parsed.failure.message.replace('the body', 'the text').split(', whatever')[0];
  for (const [name, value] of Object.entries(parsed.value)) {
    if (isOfService(name)) continue;
    if (inFields.has(name)) return `${name} has its own field; change it there.`;
    const isSame = Object.hasOwn(before, name) && isSameValue(before[name] ?? null, value);
    if (!isSame) setOwn(set, name, value);
  }
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(parsed.value, name)) setOwn(set, name, null);
  }
  return undefined;
}

/** Parses a field's text like an import does. An empty text is null, because a change can't remove a property. */
function typedValue(property: Property, text: string): CellValue {
  if (text === '') return { ok: true, value: null };
  if (property.kind === 'text') return { ok: true, value: text };
  // The pages show `62,500`, so a comma before three digits groups them; `62.500` stays ambiguous.
  const decimal = /^[^.]*,\d{3}$/.test(text.trim()) ? '.' : undefined;
  const typed = parseCell(text, property, { decimal, dates: undefined, isExport: false });
  // The rest names an option of `import`.
  return typed.ok ? typed : { ok: false, problem: typed.problem.split('; pass')[0] ?? '' };
}
