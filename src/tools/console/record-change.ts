// From what an operator typed to the change that is sent. Pure: the same input
// gives the same change.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { isSameValue, type JsonObject, parseJsonObject, setOwn } from '../../core/domain/json.js';
import type { Formats } from './formats.js';
import { fieldText, labelOf, propertiesOf, SERVICE_PROPERTIES } from './properties.js';
import { dateQuestion, typedValue } from './typed-values.js';

/** The change that the typed text stands for. */
export interface Change {
  /** Properties with their new values. */
  readonly set: JsonObject;
  /** Properties that the operator took out: a merge cannot remove them. */
  readonly removed: readonly string[];
  /** Fields whose text cannot be sent, with a sentence each. */
  readonly problems: ReadonlyMap<string, string>;
  /** What the operator is asked before it is sent, by property. */
  readonly questions: ReadonlyMap<string, string>;
}

/** `typed`: texts of the fields by property; a field that was not shown is not there. */
export function changeFromFields(
  collection: CollectionName,
  typed: ReadonlyMap<string, string>,
  base: JsonObject,
  formats: Formats,
): Change {
  const set: JsonObject = {};
  const removed: string[] = [];
  const problems = new Map<string, string>();
  const questions = new Map<string, string>();
  for (const property of propertiesOf(collection)) {
    const { name, isRequired } = property;
    const text = typed.get(name);
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    if (text === undefined || sameText(text, fieldText(property, before) ?? '')) continue;
    if (text === '' && !isRequired) {
      removed.push(name);
      continue;
    }
    const understood = typedValue(property, text, formats);
    if (!understood.ok) {
      problems.set(name, understood.problem);
      continue;
    }
    setOwn(set, name, understood.value);
    if (understood.question !== undefined) questions.set(name, understood.question);
  }
  return { set, removed, problems, questions };
}

/** The whole record as JSON. Fails with the service's own sentence where the text is no JSON object. */
export function changeFromJson(
  collection: CollectionName,
  text: string,
  base: JsonObject,
):
  | { readonly ok: true; readonly change: Change }
  | { readonly ok: false; readonly problem: string } {
  const parsed = parseJsonObject(text);
  if (!parsed.ok) return { ok: false, problem: ofText(parsed.failure.message) };
  const set: JsonObject = {};
  for (const [name, value] of Object.entries(parsed.value)) {
    if (SERVICE_PROPERTIES.has(name)) continue;
    const isSame = Object.hasOwn(base, name) && isSameValue(base[name] ?? null, value);
    if (!isSame) setOwn(set, name, value);
  }
  const removed = Object.keys(base).filter(
    (name) => !Object.hasOwn(parsed.value, name) && !SERVICE_PROPERTIES.has(name),
  );
  const questions = new Map<string, string>();
  for (const property of propertiesOf(collection)) {
    const value = Object.hasOwn(set, property.name) ? set[property.name] : undefined;
    const question = typeof value === 'string' ? dateQuestion(property, value) : undefined;
    if (question !== undefined) questions.set(property.name, question);
  }
  return { ok: true, change: { set, removed, problems: new Map(), questions } };
}

/**
 * What the operator is asked of this change, as one text; empty where nothing is. A form
 * that comes with this text was answered: any other text was typed after the question.
 */
export function askedOf({ removed, questions }: Change): string {
  if (removed.length === 0 && questions.size === 0) return '';
  return JSON.stringify([removed, [...questions.values()]]);
}

/** The change with null for properties that a merge cannot remove. */
export function withNulls({ set, removed }: Change): JsonObject {
  const all = { ...set };
  for (const name of removed) setOwn(all, name, null);
  return all;
}

/** A record with a change merged over it, as the service would. */
export function merged(record: JsonObject, change: JsonObject): JsonObject {
  const result = { ...record };
  for (const [name, value] of Object.entries(change)) setOwn(result, name, value);
  return result;
}

/** A property as it is in the service now, and as the operator wants it. */
export interface Difference {
  readonly name: string;
  readonly base: string;
  readonly theirs: string;
  readonly mine: string;
}

/** The properties that changed meanwhile, and those that the operator's change touches. */
export function differences(base: JsonObject, theirs: JsonObject, set: JsonObject): Difference[] {
  const mine = merged(theirs, set);
  const names = new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(set)]);
  return [...names]
    .filter((name) => textOf(theirs, name) !== textOf(base, name) || Object.hasOwn(set, name))
    .map((name) => ({
      name,
      base: textOf(base, name),
      theirs: textOf(theirs, name),
      mine: textOf(mine, name),
    }));
}

/**
 * The service's sentences by the properties that they name, such as
 * `amount is -1; it must be a number above 0`; one about nothing at all in words for a form.
 * What names no property is under `''`.
 */
export function problemsByProperty(message: string): Map<string, string> {
  const problems = new Map<string, string>();
  const sentences = message.split(/; (?=\w+ is )/);
  for (const sentence of sentences) {
    const [, name = '', value = ''] = /^(\w+) is (.*); it must be /s.exec(sentence) ?? [];
    const isNothing = ['missing', 'null', 'an empty string'].includes(value);
    const told = isNothing ? `${labelOf(name)} is required.` : sentence;
    problems.set(name, problems.has(name) ? `${problems.get(name)}; ${told}` : told);
  }
  return problems;
}

/** The service speaks of a request, the console of a text. */
function ofText(message: string): string {
  return message.replace('the body', 'the text').replace(', whatever the Content-Type', '');
}

/** Forms send line ends as CR LF. */
function sameText(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n');
}

function textOf(record: JsonObject, name: string): string {
  return Object.hasOwn(record, name) ? JSON.stringify(record[name]) : '';
}
