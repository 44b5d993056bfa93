// Whether a row and a record have the same content.

import { createHash } from 'node:crypto';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/domain/json.js';
import { INVISIBLE } from '../cell-values.js';

/** Equal for a row and the record created from it, whatever the order of properties. */
export function contentOf(collection: CollectionName, record: JsonObject): string {
  const { defaults, mirrorsOwner } = COLLECTIONS[collection];
  const given = mirrorsOwner ? ['id', 'owner_sub', 'ownerSub'] : ['id', 'owner_sub'];
  const own = Object.entries({ ...defaults, ...record }).filter(([name]) => !given.includes(name));
  const text = JSON.stringify(Object.fromEntries(own), (name, value: JsonValue) => {
    // An earlier import, or another client, may have kept what an import removes.
    if (name === 'phone' && typeof value === 'string') return value.replace(INVISIBLE, '');
    return isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;
  });
  return createHash('sha256').update(text).digest('base64');
}

function byName([a]: [string, JsonValue], [b]: [string, JsonValue]): number {
  return a < b ? -1 : 1;
}
