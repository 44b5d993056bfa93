// The rules of a record: what create, PATCH and validation do to the caller's
// JSON ("Common record rules" of the contract). Pure functions, no I/O. A record
// is its JSON text: what is large in it is copied, never built and written again.

import type { CollectionName } from './collection-name.js';
import { COLLECTIONS, type Collection } from './collections.js';
import { failed, type Outcome, succeeded } from './errors.js';
import { type JsonObject, type JsonValue, kindOf } from './json.js';
import { joinedObjects, members, Splice, withoutMembers } from './json-text.js';

/** A record as it is stored. */
export interface RecordText {
  readonly text: string;
  /** The value of `status`, which lists filter by; undefined where there is none. */
  readonly status: JsonValue | undefined;
}

/** A record after a PATCH. */
export interface PatchedRecord extends RecordText {
  /** Names of the properties whose value differs, as the audit log lists them. */
  readonly changed: readonly string[];
}

/** What a PATCH never changes, in every collection alike: "the server removes `id`, `owner_sub`, `ownerSub`". */
const PROTECTED_PROPERTIES: readonly string[] = ['id', 'owner_sub', 'ownerSub'];

/** From here on a PATCH takes milliseconds. */
const SLICE_MEMBERS = 16_384;

/**
 * The record a create stores: the server's `id` and `owner_sub`, whatever the
 * caller sent under those names, the caller's properties, and the collection's
 * defaults where a property is absent.
 */
export function newRecord(
  name: CollectionName,
  body: JsonObject,
  id: string,
  owner: string,
): RecordText {
  const collection = COLLECTIONS[name];
  const own = assigned(collection, id, owner);
  const absent = absentDefaults(collection, body);
  const text = JSON.stringify(body);
  const isTaken = Object.keys(own).some((property) => Object.hasOwn(body, property));
  const given = joinedObjects(isTaken ? withoutMembers(text, own) : text, JSON.stringify(absent));
  return {
    text: joinedObjects(JSON.stringify(own), given),
    status: statusOf(Object.hasOwn(body, 'status') ? body : absent),
  };
}

/**
 * "Shallow merge": the caller's properties over the stored ones, identity and
 * ownership kept, and the whole judged. What was not sent stays as it is stored,
 * to the byte. Stops now and then, so that others may have a turn.
 */
export function* patchedRecord(
  name: CollectionName,
  stored: string,
  body: JsonObject,
): Generator<void, Outcome<PatchedRecord>> {
  const { shape } = COLLECTIONS[name].required;
  const isKnown = (property: string) => property === 'status' || Object.hasOwn(shape, property);
  const known: JsonObject = {};
  const splice = new Splice(stored);
  const replaced = new Set<string>();
  const changed: string[] = [];
  let steps = 0;
  for (const member of members(stored)) {
    if (++steps % SLICE_MEMBERS === 0) yield;
    const before = stored.slice(member.valueStart, member.end);
    if (isSent(body, member.name)) {
      const value = JSON.stringify(body[member.name]);
      if (value !== before) changed.push(member.name);
      splice.replace(member, value);
      replaced.add(member.name);
    } else if (isKnown(member.name)) {
      known[member.name] = JSON.parse(before);
    }
  }
  for (const property of Object.keys(body)) {
    if (++steps % SLICE_MEMBERS === 0) yield;
    if (!isSent(body, property)) continue;
    if (isKnown(property)) known[property] = body[property] ?? null;
    if (replaced.has(property)) continue;
    splice.add(property, JSON.stringify(body[property]));
    changed.push(property);
  }
  const verdict = validated(name, known);
  if (!verdict.ok) return verdict;
  return succeeded({ text: splice.finish(), status: statusOf(known), changed });
}

/** Own properties only: a `__proto__` that was sent is data, and one that was not is nobody's. */
function isSent(body: JsonObject, property: string): boolean {
  return Object.hasOwn(body, property) && !PROTECTED_PROPERTIES.includes(property);
}

/** The value of `status`, where a record has that property. */
export function statusOf(record: JsonObject): JsonValue | undefined {
  return Object.hasOwn(record, 'status') ? record['status'] : undefined;
}

/** Judges a record by its collection's required properties; the message names every property that fails. */
export function validated(name: CollectionName, record: JsonObject): Outcome<JsonObject> {
  const { required } = COLLECTIONS[name];
  // Only what is judged: Zod would copy the caller's other properties, however many there are.
  const judged = Object.keys(required.shape)
    .filter((property) => Object.hasOwn(record, property))
    .map((property) => [property, record[property]] as const);
  const verdict = required.safeParse(Object.fromEntries(judged));
  if (verdict.success) return succeeded(record);
  const failing = new Set(verdict.error.issues.map((issue) => String(issue.path[0])));
  const problems = [...failing].map((property) => problemOf(name, property, record[property]));
  return failed('VALIDATION_FAILED', problems.join('; '));
}

/** Names of the caller's own properties, as the audit log lists them for a create. */
export function createdProperties(name: CollectionName, body: JsonObject): string[] {
  const collection = COLLECTIONS[name];
  return Object.keys(body).filter((property) => !isAssigned(collection, property));
}

function absentDefaults({ defaults }: Collection, body: JsonObject): JsonObject {
  const absent: JsonObject = {};
  for (const [property, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(body, property)) absent[property] = value;
  }
  return absent;
}

function assigned(collection: Collection, id: string, owner: string): JsonObject {
  return collection.mirrorsOwner
    ? { id, owner_sub: owner, ownerSub: owner }
    : { id, owner_sub: owner };
}

function isAssigned(collection: Collection, property: string): boolean {
  return Object.hasOwn(assigned(collection, '', ''), property);
}

function problemOf(name: CollectionName, property: string, given: unknown): string {
  const expected = COLLECTIONS[name].required.shape[property];
  const wanted = expected?.safeParse(1).success ? 'a number above 0' : 'a non-empty string';
  const what =
    given === '' ? 'an empty string' : typeof given === 'number' ? String(given) : kindOf(given);
  return `${property} is ${what}; it must be ${wanted}`;
}
