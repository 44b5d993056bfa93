// Rows, events and commits that the checks write.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type {
  Changes,
  PutRow,
  RecordStorage,
  StoredRow,
} from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { expectSame } from './expectations.js';

export function row(position: number, body?: string): StoredRow {
  const id = `CUS-${String(position).padStart(4, '0')}`;
  return {
    position,
    collection: 'customers',
    id,
    body: body ?? JSON.stringify({ id, owner_sub: 'somebody', name: 'Neema' }),
  };
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
  return { puts: puts.map(putRow), ...rest };
}

/** With what the body says. */
function putRow(row: StoredRow): PutRow {
  const { owner, status } = storedFacts(row);
  return { ...row, owner, status };
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
