// The rules of a record: create, PATCH and validation ("Common record rules" of the contract). Pure functions
// from texts to texts.

import type { CollectionName } from './collection-name.js';
import { COLLECTIONS } from './collections.js';
import { failed, type Outcome, succeeded } from './errors.js';
import {
  isSameValue,
  type JsonObject,
  kindOf,
  parseJsonObject,
  parseRecord,
  setOwn,
} from './json.js';

/** The value of `status`, by which lists filter: undefined if there is none, null if it isn't a string. */
export type Status = string | null | undefined;

/** A record after a change. */
export interface ChangedRecord {
  readonly text: string;
  readonly status: Status;
  /** For the audit log: the caller's properties on create, those whose value differs on update. */
  readonly changed: readonly string[];
}

/** The properties that a PATCH never changes: "the server removes `id`, `owner_sub`, `ownerSub`". */
const PROTECTED_PROPERTIES: ReadonlySet<string> = new Set(['id', 'owner_sub', 'ownerSub']);

/**
 * The record of a create, with the collection's defaults, but without the server's own properties, which
 * `withServerFields` adds once the id is known. Fails with `INVALID_JSON` or `VALIDATION_FAILED`.
 */
export function newRecord(
  name: CollectionName,
  body: string,
  isAudited = true,
): Outcome<ChangedRecord> {
  const parsed = parseJsonObject(body);
  if (!parsed.ok) return parsed;
  const record = parsed.value;
  const verdict = validated(name, record);
  if (!verdict.ok) return verdict;
  const { mirrorsOwner = false, defaults } = COLLECTIONS[name];
  for (const property of PROTECTED_PROPERTIES) {
    const isAssigned = property !== 'ownerSub' || mirrorsOwner;
    if (isAssigned && Object.hasOwn(record, property)) delete record[property];
  }
  // Only the audit log needs the names, and collecting 100,000 of them takes a quarter of the time.
  const changed = isAudited ? Object.keys(record) : [];
  for (const [property, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(record, property)) record[property] = value;
  }
  return succeeded({ text: JSON.stringify(record), status: statusOf(record), changed });
}

/** The text of a new record. It starts with `id` and `owner_sub`, where a start finds them without parsing. */
export function withServerFields(
  name: CollectionName,
  id: string,
  owner: string,
  record: string,
): string {
  const subject = JSON.stringify(owner);
  const mirror = COLLECTIONS[name].mirrorsOwner ? `,"ownerSub":${subject}` : '';
  const rest = record === '{}' ? '}' : `,${record.slice(1)}`;
  return `{"id":${JSON.stringify(id)},"owner_sub":${subject}${mirror}${rest}`;
}

/**
 * "Shallow merge" of the body into the stored record, except identity and ownership, and validation of "the
 * merged record". Fails with `INVALID_JSON` or `VALIDATION_FAILED`.
 */
export function patchedRecord(
  name: CollectionName,
  stored: string,
  body: string,
): Outcome<ChangedRecord> {
  const parsed = parseJsonObject(body);
  if (!parsed.ok) return parsed;
  const record = parseRecord(stored);
  const changed: string[] = [];
  for (const property of Object.keys(parsed.value)) {
    if (PROTECTED_PROPERTIES.has(property)) continue;
    const value = parsed.value[property] ?? null;
    if (Object.hasOwn(record, property) && isSameValue(record[property] ?? null, value)) continue;
    setOwn(record, property, value);
    changed.push(property);
  }
  const verdict = validated(name, record);
  if (!verdict.ok) return verdict;
  const text = changed.length === 0 ? stored : JSON.stringify(record);
  return succeeded({ text, status: statusOf(record), changed });
}

export function statusOf(record: JsonObject): Status {
  if (!Object.hasOwn(record, 'status')) return undefined;
  const { status } = record;
  return typeof status === 'string' ? status : null;
}

/**
 * Validates the required properties only. The message names every invalid property, in the form that
 * src/core/http/README.md promises ("Which field is wrong"), and contains no text of the client.
 */
export function validated(name: CollectionName, record: JsonObject): Outcome<JsonObject> {
  const problems: string[] = [];
  for (const { name: property, rule } of COLLECTIONS[name].properties) {
    if (rule === undefined) continue;
    const given = Object.hasOwn(record, property) ? record[property] : undefined;
    if (rule.accepts(given)) continue;
    const found = given === '' ? 'an empty string' : Number.isFinite(given) ? given : kindOf(given);
    problems.push(`${property} is ${found}; it must be ${rule.wanted}`);
  }
  return problems.length === 0
    ? succeeded(record)
    : failed('VALIDATION_FAILED', problems.join('; '));
}
