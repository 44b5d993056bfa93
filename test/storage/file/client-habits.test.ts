// The texts and habits of the installed @libsql/client that the storage of files
// relies on. After an upgrade a failure here says what to look at in src.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, createClient, LibsqlBatchError } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { explained, messageOf } from '../../../src/storage/file/client-errors.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const EXPLAINED = 'explained() in src/storage/file/client-errors.ts looks for this text';
const COMMIT = 'LibsqlFile.commit in src/storage/file/database-file.ts relies on this';
const CONFIGURE = 'LibsqlFile.#configure in src/storage/file/database-file.ts relies on this';
const FULL = 'isDiskFull in src/storage/file/database-file.ts relies on this';

let folder: TemporaryFolder;
let client: Client;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  client = open('service.db');
  await client.execute('pragma journal_mode = wal');
  await client.execute('create table t (n integer primary key)');
});
afterEach(async () => {
  client.close();
  await folder.remove();
});

function open(name: string): Client {
  const url = pathToFileURL(join(folder.path, name)).href;
  return createClient({ url, concurrency: 1, timeout: 1 });
}

async function errorOf(run: () => Promise<unknown>): Promise<unknown> {
  return run().then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
}

async function pragma(name: string): Promise<unknown> {
  return (await client.execute(`pragma ${name}`)).rows[0]?.[0];
}

async function numbers(): Promise<unknown[]> {
  return (await client.execute('select n from t order by n')).rows.map((row) => row['n']);
}

describe('The client says', () => {
  const cases: [string, () => Promise<unknown>, RegExp, string][] = [
    [
      'that another connection holds the file',
      async () => {
        const transaction = await client.transaction('write');
        return open('service.db')
          .execute('insert into t values (1)')
          .finally(() => transaction.close());
      },
      /^SQLITE_BUSY: database is locked$/,
      'another process holds it',
    ],
    [
      'that a file is no database',
      async () => {
        await writeFile(join(folder.path, 'letter.db'), 'a letter '.repeat(1000));
        return open('letter.db').execute('select count(*) from sqlite_schema');
      },
      /^SQLITE_NOTADB: file is not a database$/,
      'it is not a SQLite database',
    ],
    [
      'that a table is missing',
      () => client.execute('select * from lost'),
      /^SQLITE_ERROR: no such table: lost$/,
      'it is damaged',
    ],
    [
      'that a column is missing',
      () => client.execute('select lost from t'),
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
      async () => {
        await client.execute('pragma query_only = on');
        return client.execute('insert into t values (1)');
      },
      /^SQLITE_READONLY: attempt to write a readonly database$/,
      'it cannot be written',
    ],
    [
      'that the disk is full',
      async () => {
        await client.execute('create table large (bytes)');
        await client.execute(`pragma max_page_count = ${await pragma('page_count')}`);
        return client.execute('insert into large values (zeroblob(100000))');
      },
      /^SQLITE_FULL: database or disk is full$/,
      'its disk is full',
    ],
    [
      'that it is not installed',
      () => import(/* @vite-ignore */ pathToFileURL(join(folder.path, 'no-client.js')).href),
      /Cannot find (package|module)/,
      'the database client is not installed here',
    ],
  ];

  it.each(cases)('%s', async (_, fail, text, sentence) => {
    const error = await errorOf(async () => fail());
    expect(messageOf(error), EXPLAINED).toMatch(text);
    expect(explained(error), EXPLAINED).toContain(sentence);
  });
});

describe('A batch whose statement fails', () => {
  it('names the statement, and stores nothing of the batch', async () => {
    const good = 'insert into t values (1)';
    const error = await errorOf(() => client.batch([good, good, good], 'write'));
    expect(error, COMMIT).toBeInstanceOf(LibsqlBatchError);
    expect((error as LibsqlBatchError).statementIndex, COMMIT).toBe(1);
    expect(await numbers()).toEqual([]);
  });

  it('keeps its connection, with lock and settings', async () => {
    await client.execute('pragma locking_mode = exclusive');
    await client.execute('pragma synchronous = full');
    await errorOf(() => client.batch(['insert into t values (1)', 'no statement'], 'write'));
    expect([await pragma('locking_mode'), await pragma('synchronous')], CONFIGURE).toEqual([
      'exclusive',
      2,
    ]);
  });

  it('begins with SQLITE_FULL where the disk is full', async () => {
    await client.execute('create table large (bytes)');
    await client.execute(`pragma max_page_count = ${await pragma('page_count')}`);
    const insert = 'insert into large values (zeroblob(100000))';
    const error = await errorOf(() => client.batch(['insert into t values (1)', insert], 'write'));
    expect(messageOf(error), FULL).toMatch(/^SQLITE_FULL: /);
    expect(await numbers()).toEqual([]);
  });
});

it('A failing COMMIT names no statement', async () => {
  // Else it would be taken for a failed audit event, and committed again without it.
  await client.execute('pragma foreign_keys = on');
  await client.execute('create table k (n references t (n) deferrable initially deferred)');
  const error = await errorOf(() => client.batch(['insert into k values (7)'], 'write'));
  expect(messageOf(error), COMMIT).toMatch(/^SQLITE_CONSTRAINT: FOREIGN KEY/);
  expect(error, COMMIT).not.toBeInstanceOf(LibsqlBatchError);
});

it('A new connection has neither lock nor settings: they must be set again', async () => {
  await client.execute('pragma locking_mode = exclusive');
  await client.execute('pragma synchronous = off');
  await client.execute('insert into t values (1)');
  const path = join(folder.path, 'service.db');
  await expect(runSql(path, 'select n from t')).rejects.toThrow('SQLITE_BUSY');
  await client.reconnect();
  expect(await pragma('locking_mode'), CONFIGURE).toBe('normal');
});

it('After SQLITE_BUSY a statement seems to succeed and stores nothing; a batch fails', async () => {
  const other = open('service.db');
  const transaction = await other.transaction('write');
  await errorOf(() => client.execute('insert into t values (1)'));
  transaction.close();
  const lost = `${CONFIGURE}: if this is mended, a single statement may take the lock`;
  expect(messageOf(await errorOf(() => client.execute('insert into t values (2)'))), lost).toBe(
    'it succeeded',
  );
  const loud = `${CONFIGURE}: the batch that takes the lock must fail on a lost connection`;
  const error = await errorOf(() => client.batch(['insert into t values (3)'], 'write'));
  expect(messageOf(error), loud).toMatch(/^SQLITE_BUSY: cannot commit transaction/);
  expect(await runSql(join(folder.path, 'service.db'), 'select n from t'), loud).toEqual([]);
  other.close();
});
