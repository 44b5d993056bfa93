// JSON values as this service holds them, and how a request's text becomes one.

import { failed, type Outcome, succeeded } from './errors.js';
import { endOfString } from './json-text.js';
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
    return failed(
      'INVALID_JSON',
      `the body nests deeper than ${JSON_DEPTH_MAX_LEVELS} levels; send a flatter object`,
    );
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not JSON';
    return failed(
      'INVALID_JSON',
      `the body is not JSON (${reason}); send one JSON object, whatever the Content-Type`,
    );
  }
  if (!isJsonObject(value)) {
    return failed('INVALID_JSON', `the body is ${kindOf(value)}; send one JSON object`);
  }
  if (excess === 'number') {
    return failed(
      'INVALID_JSON',
      'the body holds a number that is too large for double precision; send it as a string',
    );
  }
  return succeeded(value);
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

/** What the parser lets through and no later step survives. */
type Excess = 'depth' | 'number';

/**
 * Looks at the text before it is parsed, since the parser accepts half a million
 * levels; numbers too, since a walk through what was parsed costs as much as the
 * parsing, at its worst. Of a text that is no JSON it may say anything.
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
  return (
    !(number.length > DIGITS_ALWAYS_FINITE || /e/i.test(number)) || Number.isFinite(Number(number))
  );
}

/** A double holds every number of so many digits. */
const DIGITS_ALWAYS_FINITE = 308;
const SHORTEST_INFINITE_NUMBER = '1e309';

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** A digit, or one of `.eE+-`. */
function isInNumber(unit: number): boolean {
  return isDigit(unit) || unit === 0x2e || (unit | 0x20) === 0x65 || unit === 0x2b || unit === 0x2d;
}
