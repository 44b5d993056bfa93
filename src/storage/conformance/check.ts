// The fixture of the checks: a storage that they may close and open again, example rows and changes, and
// comparison. It needs no test framework: a broken promise is an error with what was found and wanted.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type {
  Changes,
  RecordStorage,
  StoredRow,
  StoredViews,
} from '../../core/records/record-storage.js';
import { columnsOf } from '../../core/records/stored-row.js';

export type CheckedStorage = RecordStorage & StoredViews;

/** A location for one storage, new and without rows. */
export interface StorageHome {
  /**
   * Opens the storage with its earlier contents, any number of times. The earlier one was closed, except in
   * the check of a second opening, where this must reject or fence off the first one.
   */
  open(): Promise<CheckedStorage>;
  /** From the next opening on, no audit event can be stored. Called while closed. */
  refuseEvents?(): Promise<void>;
  remove(): Promise<void>;
}

export type Fixture = ReturnType<typeof fixtureOf>;

export function fixtureOf(home: StorageHome, opened: CheckedStorage) {
  let isOpen = true;
  const fixture = {
    home,
    storage: opened,
    async close(): Promise<void> {
      if (isOpen) await fixture.storage.close();
      isOpen = false;
    },
    async reopen(): Promise<void> {
      await fixture.close();
      fixture.storage = await home.open();
      isOpen = true;
    },
    /** Expects the same before and after the storage is closed and opened again. */
    async expect(what: string, find: (storage: CheckedStorage) => unknown, wanted: unknown) {
      expectSame(what, await find(fixture.storage), wanted);
      await fixture.reopen();
      expectSame(`${what} after reopening`, await find(fixture.storage), wanted);
    },
  };
  return fixture;
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
    if (page.length === 0) throw new Error('load returned an empty page; a page must have a row');
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
