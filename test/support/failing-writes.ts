// Storage that fails for the writes that a test marks, through the storage's port.

import type { RecordStorage } from '../../src/core/records/record-storage.js';

/** In a record that is written, in a record that is deleted, in an audit event. */
export const MARKS = { put: 'refuse-me', removal: 'keep-me', event: 'not-audited' } as const;

/** Replaces the storage's port by one that fails marked writes and changes nothing. */
export function failMarkedWrites(storage: RecordStorage): void {
  const [load, commit] = [storage.load.bind(storage), storage.commit.bind(storage)];
  /** Positions of the rows whose removal fails. */
  const kept = new Set<number>();
  const note = (rows: readonly { readonly position: number; readonly body: string }[]) => {
    for (const { position, body } of rows) if (body.includes(MARKS.removal)) kept.add(position);
  };
  const error = new Error('injected');
  storage.load = async function* () {
    for await (const rows of load()) {
      note(rows);
      yield rows;
    }
  };
  storage.commit = async (changes) => {
    const isRefused =
      changes.puts.some(({ body }) => body.includes(MARKS.put)) ||
      changes.removals.some((position) => kept.has(position));
    if (isRefused) return { status: 'notStored', error };
    note(changes.puts);
    const isAudited = !JSON.stringify(changes.events).includes(MARKS.event);
    if (isAudited) return commit(changes);
    const result = await commit({ ...changes, events: [] });
    return result.status === 'committed' ? { ...result, auditError: error } : result;
  };
}
