// The file that a move out of Workers makes: begun anew after a killed run, named only
// when it is whole, and never over another file.

import { copyFile, link, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isNamed, NewDatabase } from '../../../src/storage/move/new-database.js';
import { customersOf } from '../../support/arriving-account.js';
import { contentsOf } from '../../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { loaded } from '../storage-conformance.js';

let folder: TemporaryFolder;
let database: NewDatabase | undefined;
const at = (name: string) => join(folder.path, name);

beforeEach(async () => {
  folder = await openTemporaryFolder();
});
afterEach(async () => {
  database?.close();
  await folder.remove();
});

describe('A new database', () => {
  it('has the rows in their order, the events and the highest numbers, and a service starts on it', async () => {
    for (const end of ['', '-wal', '-journal'])
      await writeFile(at(`part${end}`), 'of a killed run');
    database = await NewDatabase.begin(at('part'));
    const rows = customersOf('a', 3);
    database.put(rows.slice(0, 2).map((row) => ({ row, newId: undefined })));
    database.put(rows.slice(2).map((row) => ({ row, newId: 'CUS-0009' })));
    database.append([]);
    database.append(['{"n":1}', '{"n":2}']);
    database.raise({ customers: 9, orders: 4 });
    database.raise({ customers: 8 });
    expect(await database.check()).toEqual({
      recordCount: 3,
      records: { customers: 3 },
      auditEventCount: 2,
    });
    await database.name(at('new.db'));
    expect(await readdir(folder.path)).toEqual(['new.db']);
    expect((await stat(at('new.db'))).mode & 0o777).toBe(0o600);
    const [, , [collection, , body, created, updated] = []] = rows;
    const renamed = JSON.stringify({ ...JSON.parse(String(body)), id: 'CUS-0009' });
    const { accounts, events, sequences } = await contentsOf(at('new.db'));
    expect(accounts.get('a')).toEqual([
      ...rows.slice(0, 2),
      [collection, 'CUS-0009', renamed, created, updated],
    ]);
    expect(events).toEqual(['{"n":1}', '{"n":2}']);
    expect(sequences).toEqual({ customers: 9, orders: 4 });
    // A copy: this process lets go of a file when its statements are collected.
    await copyFile(at('new.db'), at('copy.db'));
    const storage = await openLibsqlStorage({ path: at('copy.db') });
    expect((await loaded(storage)).map(({ position }) => position)).toEqual([1, 2, 3]);
    await storage.close();
  });

  it('does not take the name of another file', async () => {
    database = await NewDatabase.begin(at('part'));
    await database.check();
    await writeFile(at('new.db'), 'mine');
    await expect(database.name(at('new.db'))).rejects.toThrow('EEXIST');
    expect((await readdir(folder.path)).sort()).toEqual(['new.db', 'part']);
  });
});

it('A file is the finished one when the unfinished has become it, or is the same file', async () => {
  const named = () => isNamed(at('part'), at('new.db'));
  expect(await named()).toBe(false);
  database = await NewDatabase.begin(at('part'));
  expect(await named()).toBe(false);
  await writeFile(at('new.db'), 'another file');
  expect(await named()).toBe(false);
  await NewDatabase.begin(at('other')).then((other) => other.name(at('other.db')));
  expect(await isNamed(at('other'), at('other.db'))).toBe(true);
  await link(at('part'), at('same.db'));
  expect(await isNamed(at('part'), at('same.db'))).toBe(true);
});
