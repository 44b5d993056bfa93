// Bodies that a record's rules have to withstand.

import fc from 'fast-check';
import type { JsonObject } from '../../src/core/domain/json.js';

/** As `JSON.parse` gives it: `__proto__` is an own property. */
export const HOSTILE: JsonObject = JSON.parse(
  '{"__proto__":{"name":"x","phone":"y"},"constructor":1,"toString":null}',
);

/** As it was parsed: there is no negative zero in what is written. */
export const body: fc.Arbitrary<JsonObject> = fc
  .dictionary(
    fc.oneof(fc.string(), fc.constantFrom('id', 'owner_sub', 'ownerSub', '__proto__', 'status')),
    fc.jsonValue(),
  )
  .map((value) => JSON.parse(JSON.stringify(value)));

/** The values of own properties, undefined where there is none. */
export function own(record: JsonObject, ...names: string[]) {
  return names.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined));
}
