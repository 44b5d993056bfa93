// The usage view is a consistent snapshot, counts and audit events together, whatever is committed while
// it is counted, and commits do not wait for its end.

import { openLibsqlStorage } from 'service-management-api/libsql';
import { beforeEach, expect, it } from 'vitest';
import type { StoredTotals } from '../../../src/core/records/record-storage.js';
import { Connection } from '../../../src/storage/file/connection.js';
import * as sql from '../../../src/storage/file/file-schema.js';
import { countPiece } from '../../../src/storage/file/usage-scan.js';
import { testFolder } from '../../support/test-folder.js';
import { changes, rows } from '../storage-conformance.js';

const ROWS = 6;
const PIECE_ROWS = 2;
/** The third and last piece comes with the totals. */
const STEPS = 3;
const [AT, LATER] = [1_000, 2_000];
const EVENT = '[{"action":"create"}]';

type Put = [position: number, collection: string, id: string, body: string];
type Commit = readonly [puts: readonly Put[], removals?: readonly number[], events?: string];

const folder = testFolder();
let connection: Connection;
let at: number;

function open(): void {
  connection = new Connection(':memory:');
  connection.batch(sql.SCHEMA.map((step) => [step]));
  at = AT;
  const puts = Array.from({ length: ROWS }, (_, index) => put(index + 1));
  commit(puts, [], EVENT);
  at = LATER;
}
beforeEach(open);

function put(position: number, body = `{"n":${position}}`): Put {
  return [position, position % 2 === 0 ? 'orders' : 'customers', `ID-${position}`, body];
}

function commit(...[puts, removals = [], events = '[]']: Commit): void {
  connection.batch([
    [sql.PUT_ROWS, JSON.stringify(puts), at],
    [sql.REMOVE_ROWS, JSON.stringify(removals)],
    [sql.APPEND_EVENTS, events],
  ]);
}

function counted(afterStep: (step: number) => void): StoredTotals {
  for (let step = 0; ; step++) {
    const totals = countPiece(connection, '[0,1000,1999]', step === 0, PIECE_ROWS);
    if (totals !== undefined) return totals;
    afterStep(step);
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

it.each<[string, (position: number) => Commit]>([
  ['a create', () => [[put(ROWS + 1)], [], EVENT]],
  ['a removal', (position) => [[], [position], EVENT]],
  ['an update', (position) => [[put(position, '{"longer":true}')]]],
  ['a removal and a create', (position) => [[put(ROWS + 1)], [position]]],
])('It is not changed by %s, at any step and on any row', (_, change) => {
  for (let changed = 0; changed < STEPS - 1; changed++) {
    for (let position = 1; position <= ROWS; position++) {
      open();
      const totals = counted((step) => step === changed && commit(...change(position)));
      expect(totals, `step ${changed}, row ${position}`).toEqual(FRESH);
    }
  }
});

it('It is not changed by a row that changes repeatedly or comes and goes, nor by a commit that fails', () => {
  const duplicate: Put = [ROWS + 9, 'orders', 'ID-2', '{}'];
  const totals = counted((step) => {
    if (step === 0) expect(() => commit([put(ROWS, '{}'), duplicate], [4])).toThrow('UNIQUE');
    commit([put(ROWS, `{"step":${step}}`), put(ROWS + 1 + step)]);
    commit([put(ROWS, '{}')], [ROWS + 1 + step]);
    if (step === 1) commit([], [ROWS, 1], EVENT);
  });
  expect(totals).toEqual(FRESH);
});

it('Commits do not wait for its end, and two views are each right', async () => {
  const storage = await openLibsqlStorage({ path: folder.at('many.db') });
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
  await storage.commit(changes({ removals: [count] })).then(() => ended.push('commit'));
  const [first = 0, second = 0] = await views;
  expect(ended).toEqual(['commit', 'first view', 'second view']);
  expect(first - second).toBe(1);
  await storage.close();
});
