// What the checks work on: a storage that they may close and open again, what they write into it, and
// how they compare. It needs no test framework: a broken promise is an error that says what was found
// and what was wanted.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type {
  Changes,
  RecordStorage,
  StoredRow,
  StoredViews,
} from '../../core/records/record-storage.js';
import { columnsOf } from '../../core/records/stored-row.js';

export type CheckedStorage = RecordStorage & StoredViews;

/** One place to store into, new and without rows when it is made. */
export interface StorageHome {
  /**
   * Opens the storage with what it held, any number of times. The one opened before is closed, except
   * in the checks of a second opening: there this rejects, or the first one is fenced.
   */
  open(): Promise<CheckedStorage>;
  /** Makes every audit event from the next opening on impossible to store. Called while closed. */
  refuseEvents?(): Promise<void>;
  remove(): Promise<void>;
}

export type Bench = ReturnType<typeof benchOf>;

export function benchOf(home: StorageHome, opened: CheckedStorage) {
  let isOpen = true;
  const bench = {
    home,
    storage: opened,
    async close(): Promise<void> {
      if (isOpen) await bench.storage.close();
      isOpen = false;
    },
    async reopen(): Promise<void> {
      await bench.close();
      bench.storage = await home.open();
      isOpen = true;
    },
    /** Expects the same of the storage before and after it is closed and opened again. */
    async alwaysSame(what: string, find: (storage: CheckedStorage) => unknown, wanted: unknown) {
      expectSame(what, await find(bench.storage), wanted);
      await bench.reopen();
      expectSame(`${what} after reopening`, await find(bench.storage), wanted);
    },
  };
  return bench;
}

export function row(position: number, body?: string): StoredRow {
  const id = `CUS-${String(position).padStart(4, '0')}`;
  const text = body ?? JSON.stringify({ id, owner_sub: 'somebody', name: 'Neema' });
  return { position, collection: 'customers', id, body: text };
}

export function rows(count: number, first = 1): StoredRow[] {
  return Array.from({ length: count }, (_, i) => row(first + i));
}

export function event(name: string, changed: readonly string[] = ['name']): AuditEvent {
  const what = {
    actor: 'admin',
    action: 'update',
    resource: 'customers',
    record_id: name,
  } as const;
  return { ...what, owner_sub: 'somebody', timestamp: '2026-01-08T10:00:00.000Z', changed };
}

export type SomeChanges = Partial<Omit<Changes, 'puts'>> & {
  readonly puts?: readonly StoredRow[];
};

export function changes({ puts = [], ...some }: SomeChanges): Changes {
  const rest = { removals: [], sequences: {}, events: [], at: 1_700_000_000_000, ...some };
  return { puts: puts.map((put) => ({ ...columnsOf(put), ...put })), ...rest };
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

/** Throws unless both are the same JSON, whatever the order of properties. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  const [shown, right] = [canonical(found), canonical(wanted)];
  if (shown === right) return;
  const cut = (text: string) => (text.length <= 400 ? text : `${text.slice(0, 400)}…`);
  throw new Error(`${what}: found ${cut(shown)}; it must be ${cut(right)}`);
}

function canonical(value: unknown): string {
  const sorted = (_name: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted) ?? 'undefined';
}
