// The texts and habits of the installed libsql that the storage of files relies on.
// After an upgrade a failure here says what to look at in src.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { Connection, StatementError } from '../../../src/storage/file/connection.js';
import { explained, messageOf } from '../../../src/storage/file/connection-errors.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const EXPLAINED = 'explained() in src/storage/file/connection-errors.ts looks for this text';
const COMMIT = 'FileCommits.commit in src/storage/file/file-commits.ts relies on this';
const CONFIGURE = 'FileCommits.configure in src/storage/file/file-commits.ts relies on this';
const FULL = 'isDiskFull in src/storage/file/connection-errors.ts relies on this';
const PREPARED = 'Connection.batch in src/storage/file/connection.ts keeps its statements';

const INSERT = { sql: 'insert into t values (?1)', args: [1] };
const NO_ROOM = 'insert into large values (zeroblob(100000))';

let folder: TemporaryFolder;
let connection: Connection;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  connection = open('service.db');
  connection.value('pragma journal_mode = wal');
  connection.value('create table t (n integer primary key)');
});
afterEach(async () => {
  connection.close();
  await folder.remove();
});

function open(name: string): Connection {
  return new Connection(join(folder.path, name), { busyTimeoutMs: 1 });
}

async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return new Error('it succeeded');
  } catch (error) {
    return error;
  }
}

function pragma(name: string): unknown {
  return connection.value(`pragma ${name}`);
}

function numbers(): unknown[] {
  return connection.rows('select n from t order by n').map(({ n }) => n);
}

function leaveNoRoom(): void {
  connection.value('create table large (bytes)');
  connection.value(`pragma max_page_count = ${pragma('page_count')}`);
}

describe('The library says', () => {
  const cases: [string, () => unknown, RegExp, string][] = [
    [
      'that another connection holds the file',
      () => {
        const release = connection.hold();
        try {
          return open('service.db').value('insert into t values (1)');
        } finally {
          release();
        }
      },
      /^SQLITE_BUSY: database is locked$/,
      'another process holds it',
    ],
    [
      'that a file is no database',
      async () => {
        await writeFile(join(folder.path, 'letter.db'), 'a letter '.repeat(1000));
        return open('letter.db').value('select count(*) from sqlite_schema');
      },
      /^SQLITE_NOTADB: file is not a database$/,
      'it is not a SQLite database',
    ],
    [
      'that a table is missing',
      () => connection.value('select * from lost'),
      /^SQLITE_ERROR: no such table: lost$/,
      'it is damaged',
    ],
    [
      'that a column is missing',
      () => connection.value('select lost from t'),
      /^SQLITE_ERROR: no such column: lost$/,
      'it is damaged',
    ],
    [
      'that a path cannot be opened',
      async () => {
        await mkdir(join(folder.path, 'folder.db'));
        return open('folder.db');
      },
      /^ConnectionFailed\("Unable to open connection to local database .*: 14"\)$/,
      'it cannot be opened',
    ],
    [
      'that a file cannot be written',
      () => {
        connection.value('pragma query_only = on');
        return connection.value('insert into t values (1)');
      },
      /^SQLITE_READONLY: attempt to write a readonly database$/,
      'it cannot be written',
    ],
    [
      'that the disk is full',
      () => {
        leaveNoRoom();
        return connection.value(NO_ROOM);
      },
      /^SQLITE_FULL: database or disk is full$/,
      'its disk is full',
    ],
  ];

  it.each(cases)('%s', async (_, fail, text, sentence) => {
    const error = await errorOf(fail);
    expect(messageOf(error), EXPLAINED).toMatch(text);
    expect(explained(error), EXPLAINED).toContain(sentence);
  });
});

describe('A batch whose statement fails', () => {
  it('names the statement, and stores nothing of the batch', async () => {
    const error = await errorOf(() => connection.batch([INSERT, INSERT, INSERT]));
    expect(error, COMMIT).toBeInstanceOf(StatementError);
    expect((error as StatementError).index, COMMIT).toBe(1);
    expect(numbers()).toEqual([]);
  });

  it('keeps its connection, with lock and settings', async () => {
    connection.value('pragma locking_mode = exclusive');
    connection.value('pragma synchronous = full');
    await errorOf(() => connection.batch([INSERT, { sql: 'no statement' }]));
    expect([pragma('locking_mode'), pragma('synchronous')], CONFIGURE).toEqual(['exclusive', 2]);
  });

  it('begins with SQLITE_FULL where the disk is full', async () => {
    leaveNoRoom();
    const error = await errorOf(() => connection.batch([INSERT, { sql: NO_ROOM }]));
    expect(messageOf(error), FULL).toMatch(/^SQLITE_FULL: /);
    expect(numbers()).toEqual([]);
  });

  it('leaves its statements fit for the next batch', async () => {
    connection.batch([INSERT]);
    await errorOf(() => connection.batch([{ ...INSERT, args: [2] }, INSERT]));
    connection.batch([
      { ...INSERT, args: [3] },
      { ...INSERT, args: [4] },
    ]);
    expect(numbers(), PREPARED).toEqual([1, 3, 4]);
    const stored = await runSql(join(folder.path, 'service.db'), 'select count(*) as n from t');
    expect(stored, PREPARED).toEqual([{ n: 3 }]);
  });
});

it('A failing COMMIT names no statement, and is rolled back', async () => {
  // Else it would be taken for a failed audit event, and committed again without it.
  connection.value('pragma foreign_keys = on');
  connection.value('create table k (n references t (n) deferrable initially deferred)');
  const error = await errorOf(() => connection.batch([{ sql: 'insert into k values (7)' }]));
  expect(messageOf(error), COMMIT).toMatch(/^SQLITE_CONSTRAINT: FOREIGN KEY/);
  expect(error, COMMIT).not.toBeInstanceOf(StatementError);
  connection.batch([INSERT]);
  expect(numbers()).toEqual([1]);
});

it('A new connection has neither lock nor settings: they must be set again', async () => {
  connection.value('pragma locking_mode = exclusive');
  connection.value('pragma synchronous = off');
  connection.value('insert into t values (1)');
  const path = join(folder.path, 'service.db');
  await expect(runSql(path, 'select n from t')).rejects.toThrow('SQLITE_BUSY');
  connection.reconnect();
  expect(pragma('locking_mode'), CONFIGURE).toBe('normal');
});

it('After SQLITE_BUSY a statement seems to succeed and stores nothing; a batch fails', async () => {
  const other = open('service.db');
  const release = other.hold();
  await errorOf(() => connection.value('insert into t values (1)'));
  release();
  const lost = `${CONFIGURE}: if this is mended, a single statement may take the lock`;
  const seeming = await errorOf(() => connection.value('insert into t values (2)'));
  expect(messageOf(seeming), lost).toBe('it succeeded');
  const loud = `${CONFIGURE}: the batch that takes the lock must fail on a lost connection`;
  const error = await errorOf(() => connection.batch([{ ...INSERT, args: [3] }]));
  expect(messageOf(error), loud).toMatch(/^SQLITE_BUSY: cannot commit transaction/);
  expect(await runSql(join(folder.path, 'service.db'), 'select n from t'), loud).toEqual([]);
  other.close();
});

it('A number that JavaScript cannot hold exactly is refused', async () => {
  connection.value('insert into t values (9007199254740993)');
  expect(messageOf(await errorOf(numbers))).toContain('too large to be exact');
});
