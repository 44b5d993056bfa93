// JSON values, and how a request's text is parsed into one.

import { failed, type Outcome, succeeded } from './errors.js';
import { JSON_DEPTH_MAX_LEVELS } from './limits.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [property: string]: JsonValue;
}

/**
 * Parses a request body: exactly one JSON object (the contract's "Request body rules"), at most 512
 * levels deep, every number finite in double precision. If a key is repeated, the last one wins. `__proto__`
 * and the like are ordinary names.
 */
export function parseJsonObject(text: string): Outcome<JsonObject> {
  try {
    const value: JsonValue = JSON.parse(text);
    if (!isJsonObject(value)) return invalid(`is ${kindOf(value)}; send one JSON object`);
    assertWritable(value, 1);
    return succeeded(withNamesOf(text, value));
  } catch (error) {
    if (error instanceof RangeError) return invalid(error.message);
    // The byte order mark is invisible in the parser's own message.
    if (text.startsWith('\ufeff')) return invalid('starts with a byte order mark; remove it');
    const reason = error instanceof Error ? error.message : 'not JSON';
    return invalid(`is not JSON (${reason}); send one JSON object, whatever the Content-Type`);
  }
}

/** Parses a stored record. Throws if the text isn't JSON. */
export function parseRecord(text: string): JsonObject {
  return withNamesOf(text, JSON.parse(text));
}

/**
 * Corrects the names in what `JSON.parse` returned for the text. After parsing a name with a backslash, V8 of
 * Node 24 and Workers may return it in place of another name that has an escape (nodejs/node#63785). So only
 * a name with a backslash can be wrong.
 */
function withNamesOf<Value extends JsonValue>(text: string, value: Value): Value {
  if (!text.includes('\\') || !hasBackslashInName(value)) return value;
  const names: string[] = [];
  const numbered = text.replace(STRING, (all: string, string: string, colon?: string) =>
    colon === undefined ? all : `"${names.push(JSON.parse(string)) - 1}":`,
  );
  return JSON.parse(numbered, (_name, item) =>
    isJsonObject(item)
      ? Object.fromEntries(Object.entries(item).map(([number, it]) => [names[Number(number)], it]))
      : item,
  );
}

/** A string in a JSON text; a name is followed by a colon. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

function hasBackslashInName(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasBackslashInName);
  if (!isContainer(value)) return false;
  for (const name in value) {
    if (name.includes('\\') || hasBackslashInName(value[name] ?? null)) return true;
  }
  return false;
}

/**
 * Throws a RangeError for values that JSON.parse accepts but JSON.stringify can't write: a few thousand levels
 * overflow the stack, and an infinite number becomes null. Visiting the values of a small body takes 0.1 µs;
 * scanning its text before parsing took twice as long.
 */
function assertWritable(value: JsonValue, level: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError('has a number outside the range of double precision; send it as a string');
  }
  if (!isContainer(value)) return;
  if (level > JSON_DEPTH_MAX_LEVELS) {
    throw new RangeError(
      `nests deeper than ${JSON_DEPTH_MAX_LEVELS} levels; send a flatter object`,
    );
  }
  if (Array.isArray(value)) {
    for (const item of value) assertWritable(item, level + 1);
    return;
  }
  // `Object.values` takes three times as long with 100,000 members. A parsed object inherits none.
  for (const name in value) assertWritable(value[name] ?? null, level + 1);
}

function invalid(problem: string): Outcome<never> {
  return failed('INVALID_JSON', `the body ${problem}`);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The kind of a JSON value in words, for messages: "null", "an array", "a string", … */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return value === undefined ? 'missing' : `a ${typeof value}`;
}

/** Sets an own property. Assigning to `__proto__` would change the prototype instead. */
export function setOwn(object: JsonObject, property: string, value: JsonValue): void {
  if (property !== '__proto__') object[property] = value;
  else Object.defineProperty(object, property, { value, ...DATA });
}

const DATA = { writable: true, enumerable: true, configurable: true };

/** Whether two values are the same JSON value; the order of an object's members does not count. */
export function isSameValue(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name] ?? null, b[name] ?? null))
  );
}

/** An object or an array. */
function isContainer(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
