// A connection after failures: which one goes on, which is a new one, and what it lets go of.

import { mkdir, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connection, StatementError } from '../../../src/storage/file/connection.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
let path: string;
let connection: Connection;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'file.db');
  connection = new Connection(path);
  connection.script('create table t (a integer primary key); create temp table mine (a)');
});
afterEach(async () => {
  connection.close();
  await folder.remove();
});

/** A temporary table belongs to one connection. */
const isTheSame = () => connection.value("select name from temp.sqlite_schema where name = 'mine'");

describe('A connection', () => {
  it('goes on after a failed statement, also where SQLite has rolled back by itself', () => {
    const twice = (sql: string) => connection.batch([{ sql }, { sql }]);
    for (const how of ['abort', 'rollback']) {
      expect(() => twice(`insert or ${how} into t values (1)`)).toThrow(StatementError);
      expect([connection.value('select count(*) from t'), isTheSame()]).toEqual([0, 'mine']);
    }
    expect(connection.batch([{ sql: 'insert into t values (1)' }])).toBeUndefined();
  });

  it('is another one after it was given up', () => {
    connection.reconnect();
    expect(isTheSame()).toBeUndefined();
    expect(connection.value('select count(*) from t')).toBe(0);
  });

  it('says why it cannot be opened again', async () => {
    connection.reconnect();
    await rm(path);
    await mkdir(path);
    expect(() => connection.batch([{ sql: 'select 1' }])).toThrow(/Unable to open/);
  });

  it('that is closed says so', () => {
    connection.close();
    expect(() => connection.value('select 1')).toThrow('the connection is closed');
    expect(() => connection.batch([{ sql: 'select 1' }])).toThrow('the connection is closed');
    connection.close();
  });

  // Only /proc shows the files that this process has open.
  it.runIf(process.platform === 'linux')('lets go of the file when it is closed', async () => {
    connection.close();
    const other = new Connection(join(folder.path, 'other.db'));
    other.script('create table t (a)');
    other.close();
    const descriptors = await readdir('/proc/self/fd');
    const targets = await Promise.all(
      descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')),
    );
    expect(targets.filter((target) => target.endsWith('other.db'))).toEqual([]);
  });
});
