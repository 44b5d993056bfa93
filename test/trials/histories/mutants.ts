// The service with one defect planted in it. Each must be caught under the fault
// that brings it out.

import type { Change } from '../service/changed-server.js';
import type { Model } from './checker.js';

export interface Mutant extends Change {
  /** The name of the fault. */
  readonly fault: string;
  readonly model: Model;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a stored change is not in the file',
    fault: 'stops and starts',
    model: 'record',
    replacements: [
      [
        'set body = excluded.body, owner = excluded.owner, status = excluded.status,',
        'set owner = excluded.owner, status = excluded.status,',
      ],
    ],
  },
  {
    name: 'a deleted record stays in the file',
    fault: 'stops and starts',
    model: 'record',
    replacements: [['delete from records where', 'delete from records where 0 and']],
  },
  {
    name: 'a write is answered before it is on disk',
    fault: 'slow syncs and kill -9',
    model: 'record',
    replacements: [
      [
        'thread.call("commit", commitTexts(changes))',
        '(void thread.call("commit", commitTexts(changes)), Promise.resolve({ status: "committed" }))',
      ],
    ],
  },
  {
    name: 'a start empties the log before it writes it again',
    fault: 'kill -9 while stopping and while starting',
    model: 'record',
    replacements: [
      [
        'function rewriteLog(database) {',
        `function rewriteLog(database) {
          const { existsSync, readFileSync, truncateSync, writeFileSync } = process.getBuiltinModule('node:fs');
          if (existsSync(database + '-wal')) {
            const log = readFileSync(database + '-wal');
            truncateSync(database + '-wal');
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
            writeFileSync(database + '-wal', log);
          }`,
      ],
    ],
  },
  {
    name: 'every audit event is written twice',
    fault: 'none',
    model: 'record',
    replacements: [
      [
        'insert into audit_events (event) select value from json_each(?1)',
        'insert into audit_events (event) select value from json_each(?1) union all select value from json_each(?1)',
      ],
    ],
  },
  {
    name: 'a list shows a change only a moment later',
    fault: 'none',
    model: 'account',
    replacements: [
      [
        'chunk.with(index, record)',
        '((late) => (setTimeout(() => { late[index] = record; }, 5), late))([...chunk])',
      ],
    ],
  },
  {
    name: 'a payment of exactly the amount is pending',
    fault: 'none',
    model: 'account',
    replacements: [['paid >= amount', 'paid > amount']],
  },
  {
    name: 'usage is counted while it changes',
    fault: 'none',
    model: 'operator',
    replacements: [
      ['PIECE_MAX_ROWS = 1e4', 'PIECE_MAX_ROWS = 1'],
      ['this.#usage.before(', 'void ('],
    ],
  },
  {
    name: 'a PATCH over Postgres does not look whether another one came between',
    fault: 'none, 2 processes',
    model: 'record',
    replacements: [['and r.version = g.version', '']],
  },
  {
    name: 'a deletion over Postgres stays in the totals',
    fault: 'none, 2 processes',
    model: 'operator',
    replacements: [['set records = t.records - 1,', 'set records = t.records,']],
  },
];
