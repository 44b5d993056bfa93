// The usage view is of one moment, counts and audit events together, whatever is committed while
// it is counted, and commits do not wait for its end.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoredTotals } from '../../../src/core/records/record-storage.js';
import { LibsqlFile } from '../../../src/storage/file/database-file.js';
import type { CommitTexts } from '../../../src/storage/file/file-commits.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, rows } from '../storage-conformance.js';

const ROWS = 6;
const PIECE_ROWS = 2;
/** Three pieces, and one that finds nothing more. */
const STEPS = 4;
const AT = 1_000;
const LATER = 2_000;
const EVENT = '[{"action":"create"}]';

type Put = [position: number, collection: string, id: string, body: string];

let folder: TemporaryFolder;
let file: LibsqlFile;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  openFile('service.db');
});
afterEach(async () => {
  file.close();
  await folder.remove();
});

function openFile(name: string): void {
  const path = join(folder.path, name);
  writeFileSync(path, '');
  const initialRows = JSON.stringify(Array.from({ length: ROWS }, (_, index) => put(index + 1)));
  file = new LibsqlFile({ path, initialRows, now: AT, holding: 'alone' });
  file.commit({ ...texts([]), events: EVENT });
}

function put(position: number, body = `{"n":${position}}`): Put {
  return [position, position % 2 === 0 ? 'orders' : 'customers', `ID-${position}`, body];
}

function texts(puts: readonly Put[], removals: readonly number[] = [], events = '[]'): CommitTexts {
  const [putsText, removalsText] = [JSON.stringify(puts), JSON.stringify(removals)];
  const changeCount = puts.length + removals.length;
  return {
    puts: putsText,
    removals: removalsText,
    sequences: '{}',
    events,
    changeCount,
    at: LATER,
  };
}

function counted(afterStep: (step: number) => void): StoredTotals {
  file.beginUsage('[0,1000,1999]', PIECE_ROWS);
  for (let step = 0; ; step++) {
    afterStep(step);
    const totals = file.nextUsage();
    if (totals === undefined) continue;
    const inOrder = totals.collections.toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
    return { ...totals, collections: inOrder };
  }
}

const FRESH = {
  auditEventCount: 1,
  collections: ['customers', 'orders'].map((collection) => ({
    collection,
    records: ROWS / 2,
    payloadBytes: (ROWS / 2) * '{"n":1}'.length,
    createdAfter: [ROWS / 2, 0, 0],
    lastUpdatedAt: AT,
  })),
};

it.each<[string, (position: number) => CommitTexts]>([
  ['a create', () => texts([put(ROWS + 1)], [], EVENT)],
  ['a removal', (position) => texts([], [position], EVENT)],
  ['an update', (position) => texts([put(position, '{"longer":true}')])],
  ['a removal and a create', (position) => texts([put(ROWS + 1)], [position])],
])('It is not changed by %s, at any step and on any row', (_, change) => {
  for (let step = 0; step < STEPS; step++) {
    for (let position = 1; position <= ROWS; position++) {
      file.close();
      openFile(`${step}-${position}.db`);
      const totals = counted((at) => {
        if (at === step) expect(file.commit(change(position)).status).toBe('committed');
      });
      expect(totals, `step ${step}, row ${position}`).toEqual(FRESH);
    }
  }
});

it('It is not changed by a row that changes repeatedly, is removed, or is added and removed', () => {
  const totals = counted((step) => {
    file.commit(texts([put(ROWS, `{"step":${step}}`), put(ROWS + 1 + step)]));
    file.commit(texts([put(ROWS, '{}')], [ROWS + 1 + step]));
    if (step === 1) file.commit(texts([], [ROWS, 1], EVENT));
  });
  expect(totals).toEqual(FRESH);
});

it('It is right when a commit fails meanwhile', () => {
  const duplicate: Put = [ROWS + 1, 'orders', 'ID-2', '{}'];
  const totals = counted((step) => {
    if (step !== 1) return;
    expect(file.commit(texts([put(ROWS, '{}'), duplicate], [4])).status).toBe('notStored');
  });
  expect(totals).toEqual(FRESH);
});

it('Commits do not wait for its end, and two views are each right', async () => {
  const storage = await openLibsqlStorage({ path: join(folder.path, 'many.db') });
  const count = 200_000;
  await storage.commit(changes({ puts: rows(count) }));
  const ended: string[] = [];
  const usage = async (name: string) => {
    const totals = await storage.usage([0, 0, 0]);
    ended.push(name);
    return totals.collections.reduce((sum, { records }) => sum + records, 0);
  };
  const views = Promise.all([usage('first view'), usage('second view')]);
  // The first one begins; the commit comes while it counts.
  await new Promise(setImmediate);
  const removed = storage.commit(changes({ removals: [count] })).then(() => ended.push('commit'));
  const [first = 0, second = 0] = await views;
  await removed;
  expect(ended).toEqual(['commit', 'first view', 'second view']);
  expect(first - second).toBe(1);
  await storage.close();
});
