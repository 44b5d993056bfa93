// After a missing answer: reads the account, and does not send a row again whose record is
// there. Two equal rows are two records, so each record answers for one row only.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import type { JsonObject, JsonValue } from '../../../core/domain/json.js';
import { newRecord } from '../../../core/domain/record.js';
import { ApiError } from '../../../operator-client.js';
import { pause } from '../../program/command-dependencies.js';
import type { Service, StoredRecord } from '../service.js';
import { pagesOf } from '../walk.js';
import type { ImportJournal } from './import-journal.js';

export interface SettleOptions {
  readonly service: Service;
  readonly journal: ImportJournal;
  /** The JSON that was sent for a row. */
  bodyOf(row: number): Promise<string>;
  readonly interrupted: AbortSignal;
}

/** Finds out about every uncertain row. Resolves with the number of rows that were created. */
export async function settle(options: SettleOptions): Promise<number> {
  const { service, journal, bodyOf, interrupted } = options;
  if (journal.uncertain.size === 0) return 0;
  const { collection, account } = journal.header;
  // The question for the health waits in the database behind all earlier writes, so the
  // reads that follow see these writes.
  await expectHealth(service);
  await pause(service.waits.onItsWayMs, interrupted);
  await expectHealth(service);
  const rows = new Map<string, number[]>();
  for (const row of journal.uncertain.keys()) {
    const content = storedContent(collection, await bodyOf(row));
    const equal = rows.get(content);
    if (equal === undefined) rows.set(content, [row]);
    else equal.push(row);
  }
  let found = 0;
  const oldest = Math.min(...journal.uncertain.values());
  for await (const record of recordsAfter(service, account, collection, oldest)) {
    const sequence = sequenceOf(collection, record.id);
    if (journal.sequences.has(sequence)) continue;
    const row = rows.get(contentOf(collection, record))?.shift();
    if (row === undefined) continue;
    journal.done(row, record.id);
    found++;
  }
  for (const row of [...journal.uncertain.keys()]) journal.notCreated(row);
  return found;
}

/** Waits until the database answers, as for the service itself. */
async function expectHealth(service: Service): Promise<void> {
  await service.patiently(async () => {
    const { database } = await service.client.health();
    if (database === 'ok') return;
    throw new ApiError('STORAGE_FAILED', 'the service does not reach its database', {
      status: 503,
    });
  });
}

/** The account's records with a higher number, newest first. */
async function* recordsAfter(
  service: Service,
  account: string,
  collection: CollectionName,
  sequence: number,
) {
  const records = service.records(account, collection);
  const pages = pagesOf<StoredRecord>(
    service,
    (query) => records.list(query),
    ({ id }) => id,
    'import',
  );
  for await (const page of pages) {
    const later = page.filter(({ id }) => sequenceOf(collection, id) > sequence);
    if (later.length === 0) return;
    yield* later;
  }
}

/** The content of the record that the service makes from a body. */
function storedContent(collection: CollectionName, body: string): string {
  const record = newRecord(collection, body);
  return contentOf(collection, JSON.parse(record.ok ? record.value.text : body));
}

/** The same text for equal contents, in any order of properties. */
export function contentOf(collection: CollectionName, record: JsonObject): string {
  const given = COLLECTIONS[collection].mirrorsOwner
    ? ['id', 'owner_sub', 'ownerSub']
    : ['id', 'owner_sub'];
  const own = Object.entries(record).filter(([property]) => !given.includes(property));
  return JSON.stringify(inOrder(Object.fromEntries(own)));
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, inOrder(member)]));
}
