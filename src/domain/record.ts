// The rules of a record: what create, PATCH and validation do to the caller's
// JSON ("Common record rules" of the contract). Pure functions, no I/O.

import type { CollectionName } from './collection-name.js';
import { COLLECTIONS, type Collection } from './collections.js';
import { failed, type Outcome, succeeded } from './errors.js';
import { type JsonObject, kindOf } from './json.js';

/** What a PATCH never changes, in every collection alike: "the server removes `id`, `owner_sub`, `ownerSub`". */
const PROTECTED_PROPERTIES = ['id', 'owner_sub', 'ownerSub'] as const;

/**
 * The record a create stores: the caller's properties, the collection's
 * defaults where a property is absent, and the server's `id` and `owner_sub`,
 * whatever the caller sent under those names.
 */
export function newRecord(
  name: CollectionName,
  body: JsonObject,
  id: string,
  owner: string,
): JsonObject {
  const collection = COLLECTIONS[name];
  // Twice: first for their place in the record, last so that the caller's values do not count.
  const record: JsonObject = { id, owner_sub: owner, ...body, ...assigned(collection, id, owner) };
  for (const [property, value] of Object.entries(collection.defaults)) {
    if (!Object.hasOwn(record, property)) record[property] = value;
  }
  return record;
}

/** "Shallow merge": the caller's properties over the stored ones, identity and ownership kept. */
export function mergedRecord(stored: JsonObject, body: JsonObject): JsonObject {
  // Spread defines own properties. Assignment would turn a `__proto__` key into the prototype.
  const merged: JsonObject = { ...stored, ...body };
  for (const property of PROTECTED_PROPERTIES) {
    const kept = stored[property];
    if (kept === undefined) delete merged[property];
    else merged[property] = kept;
  }
  return merged;
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

/** Names of the properties whose value differs, as the audit log lists them for an update. */
export function changedProperties(before: JsonObject, after: JsonObject): string[] {
  return Object.keys(after).filter(
    (property) =>
      !Object.hasOwn(before, property) ||
      JSON.stringify(before[property]) !== JSON.stringify(after[property]),
  );
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
