// What the installed libsql does where src/storage/file relies on it, and the connection after
// failures: after an upgrade, see who relies on what a failing test says.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import {
  Connection,
  configure,
  EXCLUSIVE,
  WITH_LITESTREAM,
} from '../../../src/storage/file/connection.js';
import { explained, messageOf } from '../../../src/storage/file/connection-errors.js';
import { testFolder } from '../../support/test-folder.js';

const insert = (n: number) => ['insert into t values (?1)', n] as const;

const folder = testFolder();
let path: string;
let connection: Connection;

beforeEach(() => {
  path = folder.at('service.db');
  connection = open('service.db');
  connection.value('pragma journal_mode = wal');
  connection.value('create table t (n integer primary key)');
});
afterEach(() => connection.close());

const open = (name: string) => new Connection(folder.at(name), 1);

async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return new Error('it succeeded');
  } catch (error) {
    return error;
  }
}

const pragma = (name: string) => connection.value(`pragma ${name}`);
const numbers = () => connection.rows('select n from t order by n').map(({ n }) => n);

// The other texts: file-storage.test.ts and refused-files.test.ts.
it.each<[text: string, sentence: string, fail: () => unknown]>([
  [
    'SQLITE_READONLY: attempt to write a readonly database',
    'it cannot be opened for writing; check',
    () =>
      ['pragma query_only = on', 'insert into t values (1)'].map((sql) => connection.value(sql)),
  ],
  [
    'SQLITE_FULL: database or disk is full',
    'its disk is full; make room',
    () => {
      connection.value('create table large (bytes)');
      connection.value(`pragma max_page_count = ${pragma('page_count')}`);
      connection.batch([insert(1), ['insert into large values (zeroblob(100000))']]);
    },
  ],
  [
    'SQLITE_IOERR_FSYNC: disk',
    'its disk is failing (I/O error); check the system log',
    () => {
      throw new Error('SQLITE_IOERR_FSYNC: disk');
    },
  ],
])('The library says %s, and the operator reads: %s', async (text, sentence, fail) => {
  const error = await errorOf(fail);
  expect(messageOf(error)).toContain(text);
  expect(explained(error)).toContain(sentence);
  expect(numbers()).toEqual([]);
});

it('A batch whose statement fails stores nothing, and keeps its connection and statements', async () => {
  configure(connection, EXCLUSIVE);
  connection.batch([insert(1)]);
  for (const how of ['abort', 'rollback']) {
    const twice = [`insert or ${how} into t values (2)`] as const;
    const error = await errorOf(() => connection.batch([insert(3), twice, twice]));
    expect(messageOf(error)).toMatch(/^SQLITE_CONSTRAINT/);
    expect(numbers()).toEqual([1]);
  }
  expect([pragma('locking_mode'), pragma('synchronous')]).toEqual(['exclusive', 2]);
  connection.batch([insert(3), insert(4)]);
  expect(numbers()).toEqual([1, 3, 4]);
});

it('A failing COMMIT is rolled back', async () => {
  connection.value('pragma foreign_keys = on');
  connection.value('create table k (n references t (n) deferrable initially deferred)');
  const error = await errorOf(() => connection.batch([['insert into k values (7)']]));
  expect(messageOf(error)).toMatch(/^SQLITE_CONSTRAINT.*: FOREIGN KEY/);
  connection.batch([insert(1)]);
  expect(numbers()).toEqual([1]);
});

it.each([
  // SQLite writes the log back by itself after 1,000 pages; beside Litestream it must not.
  ['alone', EXCLUSIVE, 'exclusive', 1_000],
  ['beside Litestream', WITH_LITESTREAM, 'normal', 0],
] as const)('Settings are in force %s', (_, sharing, locking, pages) => {
  configure(connection, sharing);
  const names = ['locking_mode', 'wal_autocheckpoint', 'journal_mode', 'synchronous'];
  const given = [...names, 'secure_delete', 'trusted_schema'].map(pragma);
  expect(given).toEqual([locking, pages, 'wal', 2, 1, 0]);
});

it('After SQLITE_BUSY a statement seems to succeed and stores nothing; a batch fails', async () => {
  const other = open('service.db');
  other.value('begin immediate');
  await errorOf(() => connection.value('insert into t values (1)'));
  other.value('rollback');
  // Once this is mended, a single statement may take the lock.
  const seeming = await errorOf(() => connection.value('insert into t values (2)'));
  expect(messageOf(seeming)).toBe('it succeeded');
  const error = await errorOf(() => connection.batch([insert(3)]));
  expect(messageOf(error)).toMatch(/^SQLITE_BUSY: cannot commit transaction/);
  expect(await runSql(path, 'select n from t')).toEqual([]);
  other.close();
});
