// The usage view is of one moment, counts and audit events together, whatever
// is committed while it is counted, and commits do not wait for its end.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
const TIMES = '[0,1000,1999]';

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await openTemporaryFolder();
});
afterEach(() => folder.remove());

type Put = [position: number, collection: string, id: string, body: string];

const put = (position: number, body = `{"n":${position}}`): Put => [
  position,
  position % 2 === 0 ? 'orders' : 'customers',
  `ID-${position}`,
  body,
];

function texts(puts: readonly Put[], removals: readonly number[] = [], events = ''): CommitTexts {
  return {
    puts: JSON.stringify(puts),
    removals: JSON.stringify(removals),
    sequences: '{}',
    events,
    changeCount: puts.length + removals.length,
    at: LATER,
  };
}

const EVENT = '[{"action":"create"}]';

describe('The usage view of one moment', () => {
  let file: LibsqlFile;

  beforeEach(async () => {
    const path = join(folder.path, 'service.db');
    writeFileSync(path, '');
    const initial = Array.from({ length: ROWS }, (_, index) => put(index + 1));
    file = await LibsqlFile.open(path, JSON.stringify(initial), AT, 'alone');
    await file.commits.commit({ ...texts([]), events: EVENT });
  });
  afterEach(() => file.close());

  async function counted(afterStep: (step: number) => Promise<void>): Promise<StoredTotals> {
    file.usage.begin(TIMES, PIECE_ROWS);
    for (let step = 0; ; step++) {
      await afterStep(step);
      const totals = file.usage.next();
      if (totals !== undefined) return totals;
    }
  }

  const inOrder = ({ collections, auditEventCount }: StoredTotals) => ({
    auditEventCount,
    collections: collections.toSorted((a, b) => (a.collection < b.collection ? -1 : 1)),
  });

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

  const changesOf: readonly [string, (position: number) => CommitTexts][] = [
    ['a create', () => texts([put(ROWS + 1)], [], EVENT)],
    ['a removal', (position) => texts([], [position], EVENT)],
    ['an update', (position) => texts([put(position, '{"longer":true}')])],
    ['a removal and a create', (position) => texts([put(ROWS + 1)], [position])],
  ];

  const grid = changesOf.flatMap(([what, change]) =>
    Array.from({ length: STEPS }, (_, step) =>
      Array.from({ length: ROWS }, (_, row) => [what, step, row + 1, change] as const),
    ).flat(),
  );

  it.each(grid)('is not changed by %s at step %i, on row %i', async (_what, at, row, change) => {
    const totals = await counted(async (step) => {
      if (step === at) expect((await file.commits.commit(change(row))).status).toBe('committed');
    });
    expect(inOrder(totals)).toEqual(FRESH);
  });

  it('is not changed by a row that changes repeatedly, is removed, or is added and removed', async () => {
    const totals = await counted(async (step) => {
      await file.commits.commit(texts([put(ROWS, `{"step":${step}}`), put(ROWS + 1 + step)]));
      await file.commits.commit(texts([put(ROWS, '{}')], [ROWS + 1 + step]));
      if (step === 1) await file.commits.commit(texts([], [ROWS, 1], EVENT));
    });
    expect(inOrder(totals)).toEqual(FRESH);
  });

  it('is right when a commit fails meanwhile', async () => {
    const duplicate: Put = [ROWS + 1, 'orders', 'ID-2', '{}'];
    const totals = await counted(async (step) => {
      if (step !== 1) return;
      const { status } = await file.commits.commit(texts([put(ROWS, '{}'), duplicate], [4]));
      expect(status).toBe('notStored');
    });
    expect(inOrder(totals)).toEqual(FRESH);
  });

  it('counts everything that was committed before it began', async () => {
    await file.commits.commit(texts([put(ROWS + 1)], [2, 4, 6], EVENT));
    const { auditEventCount, collections } = await counted(async () => {});
    expect(auditEventCount).toBe(2);
    expect(collections).toEqual([
      {
        collection: 'customers',
        records: ROWS / 2 + 1,
        payloadBytes: (ROWS / 2 + 1) * '{"n":1}'.length,
        createdAfter: [ROWS / 2 + 1, 1, 1],
        lastUpdatedAt: LATER,
      },
    ]);
  });
});

it('Commits do not wait for the end of a usage view, and two views are each right', async () => {
  const storage = await openLibsqlStorage({ path: join(folder.path, 'service.db') });
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
