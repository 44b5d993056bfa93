// JSON values as this service holds them, and how a request's text becomes one.

import { failed, type Outcome, succeeded } from './errors.js';
import { JSON_DEPTH_MAX_LEVELS } from './limits.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [property: string]: JsonValue;
}

/**
 * Parses a request body: exactly one JSON object (the contract's "Request body
 * rules"), at most 512 levels deep, every number finite in double precision.
 * Duplicate keys: the last wins. `__proto__` and its like are data.
 */
export function parseJsonObject(text: string): Outcome<JsonObject> {
  if (nestsDeeperThan(text, JSON_DEPTH_MAX_LEVELS)) {
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
  if (!everyNumberIsFinite(value)) {
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

/**
 * Whether brackets outside strings nest deeper than `levels`. Looked at before
 * parsing: the parser accepts half a million levels, which no later step survives.
 */
function nestsDeeperThan(text: string, levels: number): boolean {
  if (text.length <= levels) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c) i++;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) {
      inString = true;
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > levels) return true;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    }
  }
  return false;
}

function everyNumberIsFinite(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(everyNumberIsFinite);
  // Object.values, not for-in: an own `__proto__` is a property like any other.
  return Object.values(value).every(everyNumberIsFinite);
}
