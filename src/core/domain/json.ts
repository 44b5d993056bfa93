// JSON values as this service holds them, and how a request's text becomes one.

import { failed, type Outcome, succeeded } from './errors.js';
import { JSON_DEPTH_MAX_LEVELS } from './limits.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [property: string]: JsonValue;
}

/**
 * Parses a request body: exactly one JSON object (the contract's "Request body
 * rules"), at most 512 levels deep, every number finite in double precision,
 * those of duplicate keys included. Of these the last wins. `__proto__` and its like are data.
 */
export function parseJsonObject(text: string): Outcome<JsonObject> {
  const excess = excessOf(text);
  if (excess === 'depth') {
    return invalid(`nests deeper than ${JSON_DEPTH_MAX_LEVELS} levels; send a flatter object`);
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // It is invisible in the parser's own message.
    if (text.startsWith('\ufeff')) return invalid('begins with a byte order mark; send it without');
    const reason = error instanceof Error ? error.message : 'not JSON';
    return invalid(`is not JSON (${reason}); send one JSON object, whatever the Content-Type`);
  }
  if (!isJsonObject(value)) return invalid(`is ${kindOf(value)}; send one JSON object`);
  if (excess === 'number') {
    return invalid('holds a number that is too large for double precision; send it as a string');
  }
  return succeeded(value);
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

/** Sets an own property. An assignment to `__proto__` would change the prototype instead. */
export function setOwn(object: JsonObject, property: string, value: JsonValue): void {
  if (property !== '__proto__') object[property] = value;
  else
    Object.defineProperty(object, property, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

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

/** Inputs that JSON.parse accepts but the service must refuse. */
type Excess = 'depth' | 'number';

/**
 * Scans the text before it is parsed. Depth: JSON.parse accepts half a million
 * levels, JSON.stringify overflows the stack at a few thousand. Numbers: walking
 * through the parsed value would cost as much as parsing it. The result means
 * nothing for a text that is not JSON.
 */
function excessOf(text: string): Excess | undefined {
  let depth = 0;
  let excess: Excess | undefined;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) {
      i = endOfString(text, i);
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > JSON_DEPTH_MAX_LEVELS) return 'depth';
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    } else if (isDigit(unit)) {
      const end = endOfNumber(text, i);
      if (!isFiniteNumber(text, i, end)) excess = 'number';
      i = end - 1;
    }
  }
  return excess;
}

/** The index of the quote that closes the string which opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

/** A quote behind an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let i = quote - 1;
  while (text.charCodeAt(i) === 0x5c) i--;
  return (quote - i) % 2 === 0;
}

/** The index behind the last character that can belong to the number. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++;
  return end;
}

/** The sign before it does not matter. Few numbers are long enough, or have an exponent, so that one has to look closer. */
function isFiniteNumber(text: string, start: number, end: number): boolean {
  if (end - start < SHORTEST_INFINITE_NUMBER.length) return true;
  const number = text.slice(start, end);
  const isLong = number.length > DIGITS_ALWAYS_FINITE || /e/i.test(number);
  return !isLong || Number.isFinite(Number(number));
}

/** Numbers this long are always finite. */
const DIGITS_ALWAYS_FINITE = 308;
const SHORTEST_INFINITE_NUMBER = '1e309';

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** A digit, or one of `.eE+-`. */
function isInNumber(unit: number): boolean {
  return isDigit(unit) || unit === 0x2e || (unit | 0x20) === 0x65 || unit === 0x2b || unit === 0x2d;
}
