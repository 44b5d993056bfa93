// Rows, events and commits that the checks write, and what a storage then holds.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type { Changes, RecordStorage, StoredRow } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { type CheckedStorage, expectSame } from './check.js';

export function row(position: number, body?: string): StoredRow {
  const id = `CUS-${String(position).padStart(4, '0')}`;
  const text = body ?? JSON.stringify({ id, owner_sub: 'somebody', name: 'Neema' });
  return { position, collection: 'customers', id, body: text };
}

export function rows(count: number, first = 1): StoredRow[] {
  return Array.from({ length: count }, (_, i) => row(first + i));
}

export function event(name: string, changed: readonly string[] = ['name']): AuditEvent {
  return {
    actor: 'admin',
    action: 'update',
    resource: 'customers',
    record_id: name,
    owner_sub: 'somebody',
    timestamp: '2026-01-08T10:00:00.000Z',
    changed,
  };
}

export type SomeChanges = Partial<Omit<Changes, 'puts'>> & {
  readonly puts?: readonly StoredRow[];
};

export function changes({ puts = [], ...some }: SomeChanges): Changes {
  const rest = { removals: [], sequences: {}, events: [], at: 1_700_000_000_000, ...some };
  const putRow = (put: StoredRow) => {
    const { owner, status } = storedFacts(put);
    return { ...put, owner, status };
  };
  return { puts: puts.map(putRow), ...rest };
}

export async function commits(storage: RecordStorage, some: SomeChanges): Promise<void> {
  const result = await storage.commit(changes(some));
  expectSame('the outcome of a commit', result, { status: 'committed' });
}

/** Every row of the storage. Throws if a page is empty. */
export async function loaded(storage: RecordStorage): Promise<StoredRow[]> {
  const all: StoredRow[] = [];
  for await (const page of storage.load()) {
    if (page.length === 0) throw new Error('load gave an empty page; a page has a row or more');
    for (const { position, collection, id, body } of page) {
      all.push({ position, collection, id, body });
    }
  }
  return all;
}

/** Its rows, and its audit events, newest first and without their ids. */
export async function held(storage: CheckedStorage) {
  const { items, total } = await storage.auditEvents({ page: 1, pageSize: 200 });
  expectSame('number of audit events', total, items.length);
  const events: unknown[] = items.map((item) => ({ ...JSON.parse(item), id: undefined }));
  return { rows: await loaded(storage), events };
}
