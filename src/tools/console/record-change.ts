// Turns a sent form into the change it asks for: only what differs from what the form showed. Pure.

import type { CollectionName } from '../../core/domain/collection-name.js';
import {
  isSameValue,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  setOwn,
} from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { numberOfText } from '../data/number-text.js';
import { fieldsOf, fieldText, isOfService, propertiesBut, valueAt } from './properties.js';

/** The field for the properties that have no field of their own. */
export const JSON_FIELD = 'json';

export interface Change {
  /** New values by property; null for one taken out, because a merge can't remove it. */
  readonly set: JsonObject;
  /** Sentences by property, or by `json`. */
  readonly problems: ReadonlyMap<string, string>;
}

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
export function changeOf(
  collection: CollectionName,
  sent: URLSearchParams,
  base: JsonObject,
): Change {
  const set: JsonObject = {};
  const problems = new Map<string, string>();
  const shown = formTexts(collection, base);
  const inFields = new Set<string>();
  for (const property of fieldsOf(collection)) {
    const { name } = property;
    const text = sent.get(fieldName(name));
    if (text !== null || shown.has(fieldName(name))) inFields.add(name);
    if (text === null || isSameText(text, shown.get(fieldName(name)))) continue;
    const typed = typedValue(property, withLineEndsOf(valueAt(base, name), text));
    if (typed instanceof Problem) problems.set(name, typed.message);
    else setOwn(set, name, typed);
  }
  const json = sent.get(fieldName(JSON_FIELD));
  if (json !== null && !isSameText(json, shown.get(fieldName(JSON_FIELD)))) {
    const problem = addJson(set, json, propertiesBut(base, inFields), inFields);
    if (problem !== undefined) problems.set(JSON_FIELD, problem);
  }
  return { set, problems };
}

/** Adds what differs from `before`. The result is a problem, if there is one. */
function addJson(
  set: JsonObject,
  json: string,
  before: JsonObject,
  inFields: ReadonlySet<string>,
): string | undefined {
  const parsed = parseJsonObject(json.trim() === '' ? '{}' : json);
  // The service's sentence is about a request.
  if (!parsed.ok)
    return parsed.failure.message.replace('the body', 'the text').split(', whatever')[0];
  for (const [name, value] of Object.entries(parsed.value)) {
    if (isOfService(name)) continue;
    if (inFields.has(name)) return `${name} has a field of its own; change it there.`;
    const isSame = Object.hasOwn(before, name) && isSameValue(before[name] ?? null, value);
    if (!isSame) setOwn(set, name, value);
  }
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(parsed.value, name)) setOwn(set, name, null);
  }
  return undefined;
}

/** A record with a change merged into it, as by the service. */
export function merged(record: JsonObject, change: JsonObject): JsonObject {
  const result = { ...record };
  for (const [name, value] of Object.entries(change)) setOwn(result, name, value);
  return result;
}

/** The properties that differ. */
export function differing(base: JsonObject, now: JsonObject): string[] {
  const names = new Set([...Object.keys(base), ...Object.keys(now)]);
  const isSame = (name: string) =>
    Object.hasOwn(base, name) === Object.hasOwn(now, name) &&
    isSameValue(valueAt(base, name) ?? null, valueAt(now, name) ?? null);
  return [...names].filter((name) => !isSame(name));
}

/** Browsers send every line break as CR LF. */
function isSameText(sent: string, shown: string | null): boolean {
  return sent.replaceAll('\r\n', '\n') === (shown ?? '').replaceAll('\r\n', '\n');
}

function withLineEndsOf(before: unknown, sent: string): string {
  const hadBoth = typeof before === 'string' && before.includes('\r\n');
  return hadBoth ? sent : sent.replaceAll('\r\n', '\n');
}

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

class Problem extends Error {}

/** The value of a field's text. An empty text is null: a change can set a property to null, but not remove it. */
function typedValue({ kind }: Property, text: string): JsonValue | Problem {
  if (text === '') return null;
  if (kind === 'number' || kind === 'money') return typedNumber(text);
  if (kind === 'flag') return text === 'true';
  if (kind !== 'moment' || isDate(text)) return text;
  return new Problem(`“${text}” is not a date; write 2026-12-31 or 2026-12-31T09:30:00Z.`);
}

/** The console shows `62,500`, so a comma before three digits groups them; `62.500` stays ambiguous. */
function typedNumber(text: string): number | Problem {
  const hasCommasOnly = /^[^.]*,\d{3}$/.test(text.trim());
  const number = numberOfText(text, hasCommasOnly ? '.' : undefined);
  if (number.ok) return number.value;
  if (number.why === 'ambiguous') {
    const readings = number.readings.join(' or ');
    return new Problem(`“${text}” could be ${readings}; write ${readings}.`);
  }
  return new Problem(
    number.why === 'too long'
      ? `“${text}” has more digits than a number keeps; write fewer.`
      : `“${text}” is not a number; write digits such as 45000, without currency.`,
  );
}

/** A day of the calendar, or a moment of one. */
function isDate(text: string): boolean {
  if (!ISO_8601.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 10);
  return new Date(day).toISOString().startsWith(day);
}
