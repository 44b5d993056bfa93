// Finds out which rows are records already, by reading the account. Two equal rows are two
// records, so each record answers for one row only.

import { createHash } from 'node:crypto';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import type { JsonObject, JsonValue } from '../../../core/domain/json.js';
import { ApiError } from '../../../operator-client.js';
import { pause } from '../../program/command-dependencies.js';
import type { Service } from '../service.js';
import { recordPages } from '../walk.js';
import type { RowState, Staging } from './staging.js';

export interface Target {
  readonly service: Service;
  readonly account: string;
  readonly collection: CollectionName;
}

/**
 * Each unsure row whose record is there gets that state; the others are open again.
 * `after`: a number that is lower than those of all records that may be meant. Resolves
 * with how many were found.
 */
export async function settle(
  { service, account, collection }: Target,
  staging: Staging,
  after: number,
  found: RowState,
): Promise<number> {
  let count = 0;
  for await (const page of recordPages(service, account, collection)) {
    // Newest first.
    const later = page.filter(({ id }) => sequenceOf(collection, id) > after);
    for (const record of later) {
      const sequence = sequenceOf(collection, record.id);
      if (staging.claim(contentOf(collection, record), sequence, found)) count++;
    }
    if (later.length < page.length) break;
  }
  staging.setAll('unsure', 'open');
  return count;
}

/**
 * Resolves when writes without an answer are decided. The question for the health waits in
 * the database behind all earlier writes, so that the reads that follow see them.
 */
export async function writesDecided(service: Service, interrupted: AbortSignal): Promise<void> {
  const expectHealth = () =>
    service.patiently(async () => {
      const { database } = await service.client.health();
      if (database === 'ok') return;
      const message = 'the service does not reach its database';
      throw new ApiError('STORAGE_FAILED', message, { status: 503 });
    });
  await expectHealth();
  await pause(service.waits.onItsWayMs, interrupted);
  await expectHealth();
}

/** Equal for a row and for the record that it becomes, in any order of properties. */
export function contentOf(collection: CollectionName, record: JsonObject): string {
  const { defaults, mirrorsOwner } = COLLECTIONS[collection];
  const given = mirrorsOwner ? ['id', 'owner_sub', 'ownerSub'] : ['id', 'owner_sub'];
  const own = Object.entries({ ...defaults, ...record }).filter(([name]) => !given.includes(name));
  const text = JSON.stringify(inOrder(Object.fromEntries(own) as JsonObject));
  return createHash('sha256').update(text).digest('base64');
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, inOrder(member)]));
}
