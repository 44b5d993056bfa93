// The service with one defect planted in it. Each must be caught under the fault
// that brings it out.

import type { Change } from '../service/changed-server.js';
import type { Model } from './checker.js';

export interface Mutant extends Change {
  /** The name of the fault. */
  readonly fault: string;
  readonly model: Model;
}

function mutant(
  name: string,
  fault: string,
  model: Model,
  ...replacements: Change['replacements']
): Mutant {
  return { name, fault, model, replacements };
}

const EMPTIES_LOG = `function rewriteLog(database) {
  const { existsSync, readFileSync, truncateSync, writeFileSync } = process.getBuiltinModule('node:fs');
  if (existsSync(database + '-wal')) {
    const log = readFileSync(database + '-wal');
    truncateSync(database + '-wal');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    writeFileSync(database + '-wal', log);
  }`;
const COMMIT = 'thread.call("commit", texts)';
const EVENTS = 'insert into audit_events (event) select value from json_each(?1)';
const COLUMNS = 'owner = excluded.owner, status = excluded.status,';

export const MUTANTS: readonly Mutant[] = [
  mutant('a stored change is not in the file', 'stops and starts', 'record', [
    `set body = excluded.body, ${COLUMNS}`,
    `set ${COLUMNS}`,
  ]),
  mutant('a deleted record stays in the file', 'stops and starts', 'record', [
    'delete from records where',
    'delete from records where 0 and',
  ]),
  mutant('a write is answered before it is on disk', 'slow syncs and kill -9', 'record', [
    COMMIT,
    `(void ${COMMIT}, Promise.resolve({ status: "committed" }))`,
  ]),
  mutant(
    'a start empties the log before it rewrites it',
    'kill -9 while stopping and while starting',
    'record',
    ['function rewriteLog(database) {', EMPTIES_LOG],
  ),
  mutant('every audit event is written twice', 'none', 'record', [
    EVENTS,
    `${EVENTS} union all select value from json_each(?1)`,
  ]),
  mutant('a list shows a change only a moment later', 'none', 'account', [
    'chunk.with(index, record)',
    '((late) => (setTimeout(() => { late[index] = record; }, 5), late))([...chunk])',
  ]),
  mutant('a payment of exactly the amount is pending', 'none', 'account', [
    'paid >= amount',
    'paid > amount',
  ]),
  mutant(
    'usage is counted while it changes',
    'none',
    'operator',
    ['PIECE_ROWS = 1e4', 'PIECE_ROWS = 1'],
    ['this.#usage.before(', 'void ('],
  ),
  mutant(
    'a PATCH over Postgres does not check for a concurrent PATCH',
    'none, 2 processes',
    'record',
    ['and r.version = g.target', ''],
  ),
  mutant('a deletion over Postgres stays in the totals', 'none, 2 processes', 'operator', [
    'set records = t.records - 1,',
    'set records = t.records,',
  ]),
];
