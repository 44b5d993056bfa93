// The rules of a record: what create, PATCH and validation do to the caller's
// JSON ("Common record rules" of the contract). Pure functions from texts to
// texts, so that a host can run them in another thread.

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

/** The value of `status`, which lists filter by: undefined if there is none, null if it isn't a string. */
export type Status = string | null | undefined;

/** A record's text, with the status that lists filter by. */
export interface RecordText {
  readonly text: string;
  readonly status: Status;
}

/** A record after a change. */
export interface ChangedRecord extends RecordText {
  /** For the audit log: the caller's properties on create, those whose value differs on update. */
  readonly changed: readonly string[];
}

/** The properties that a PATCH never changes: "the server removes `id`, `owner_sub`, `ownerSub`". */
const PROTECTED_PROPERTIES: ReadonlySet<string> = new Set(['id', 'owner_sub', 'ownerSub']);

/**
 * The record of a create, still without the server's own properties: the
 * caller's properties and the collection's defaults where a property is absent.
 * `withServerFields` adds the rest once the record's id is known.
 * Fails with `INVALID_JSON` or `VALIDATION_FAILED`.
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
  // With 100,000 properties, collecting the names takes a quarter of the time, and only the audit log needs them.
  const changed = isAudited ? Object.keys(record) : [];
  for (const [property, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(record, property)) record[property] = value;
  }
  return succeeded({ text: JSON.stringify(record), status: statusOf(record), changed });
}

/** The whole text of a new record: the server's `id` and `owner_sub`, where a start finds them without parsing, then `record`. */
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
 * "Shallow merge": the caller's properties over the stored ones, identity and
 * ownership kept, and "the merged record" validated.
 * Fails with `INVALID_JSON` or `VALIDATION_FAILED`.
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
 * Validates the required properties only. The message names every property that fails, in the form that
 * src/core/http/README.md promises ("Which field is wrong"), so it holds no text of the caller.
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
