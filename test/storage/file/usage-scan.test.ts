// The usage view is a consistent snapshot, counts and audit events together, whatever is committed while
// it is counted, and commits do not wait for its end.

import { openLibsqlStorage } from 'service-management-api/libsql';
import { expect, it } from 'vitest';
import { changes, rows } from '../../../src/storage/conformance/check.js';
import { Connection } from '../../../src/storage/file/connection.js';
import * as sql from '../../../src/storage/file/file-schema.js';
import { scanUsage } from '../../../src/storage/file/usage-scan.js';
import { testFolder } from '../../support/test-folder.js';

const ROWS = 6;
const PIECE_ROWS = 2;
/** The third and last step returns the totals. */
const STEPS = 3;
const [AT, LATER] = [1_000, 2_000];
const EVENT = '[{"action":"create"}]';

type Put = [position: number, collection: string, id: string, body: string];
type Commit = readonly [puts: readonly Put[], removals?: readonly number[], events?: string];

const folder = testFolder();

function put(position: number, body = `{"n":${position}}`): Put {
  return [position, position % 2 === 0 ? 'orders' : 'customers', `ID-${position}`, body];
}

function commit(connection: Connection, at: number, [puts, removals = [], events = '[]']: Commit) {
  connection.batch([
    [sql.PUT_ROWS, JSON.stringify(puts), at],
    [sql.REMOVE_ROWS, JSON.stringify(removals)],
    [sql.APPEND_EVENTS, events],
  ]);
}

/** The totals of a new file, in which each commit follows the piece of this number. */
function countedAround(commits: readonly Commit[], piece: number) {
  const connection = new Connection(':memory:');
  connection.batch(sql.SCHEMA.map((step) => [step]));
  const puts = Array.from({ length: ROWS }, (_, index) => put(index + 1));
  commit(connection, AT, [puts, [], EVENT]);
  for (let step = 0; ; step++) {
    const totals = scanUsage(connection, '[0,1000,1999]', step === 0, PIECE_ROWS);
    if (totals !== undefined) return totals;
    if (step !== piece) continue;
    for (const change of commits) commit(connection, LATER, change);
  }
}

const longer = (position: number) => put(position, '{"longer":true}');

it.each<[string, (position: number) => Commit[]]>([
  ['a create', () => [[[put(ROWS + 1)], [], EVENT]]],
  ['a removal', (position) => [[[], [position], EVENT]]],
  ['two updates', (position) => [[[longer(position)]], [[longer(position)]]]],
  ['a row that comes and goes', () => [[[put(ROWS + 1)]], [[], [ROWS + 1]]]],
  ['an update, a removal and a create', (at) => [[[longer(at)]], [[put(ROWS + 1)], [at]]]],
])('A usage count is not affected by %s, at any step and on any row', (_, change) => {
  for (let piece = 0; piece < STEPS - 1; piece++) {
    for (let position = 1; position <= ROWS; position++) {
      const totals = countedAround(change(position), piece);
      expect(totals, `piece ${piece}, row ${position}`).toEqual({
        auditEventCount: 1,
        collections: ['customers', 'orders'].map((collection) => ({
          collection,
          records: ROWS / 2,
          payloadBytes: (ROWS / 2) * '{"n":1}'.length,
          createdAfter: [ROWS / 2, 0, 0],
          lastUpdatedAt: AT,
        })),
      });
    }
  }
});

it('Commits do not wait for a usage count, and two concurrent counts are both right', async () => {
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
  // The first one starts, and the commit arrives while it counts.
  await new Promise(setImmediate);
  await storage.commit(changes({ removals: [count] })).then(() => ended.push('commit'));
  const [first = 0, second = 0] = await views;
  expect(ended).toEqual(['commit', 'first view', 'second view']);
  expect(first - second).toBe(1);
  await storage.close();
});
