// The accounts that a move finds in a file: whose the records are, in which order, and
// what no account takes with it.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { COLLECTION_NAMES } from '../../../src/core/domain/collection-name.js';
import { Connection } from '../../../src/storage/file/connection.js';
import { FileAccounts } from '../../../src/storage/move/file-accounts.js';
import { FILL_COLUMNS } from '../../support/fill-columns.js';
import { contentsOf, makeShopFile } from '../../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
let path: string;
let opened: FileAccounts[];

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'shop.db');
  opened = [];
});
afterEach(async () => {
  for (const file of opened) file.close();
  await folder.remove();
});

async function open(at = path): Promise<FileAccounts> {
  const file = await FileAccounts.open(at);
  opened.push(file);
  return file;
}

it('finds every account, its records oldest first, all events and the highest numbers', async () => {
  await makeShopFile(path, { accounts: ['juma', 'amina', 'bibi'], records: 130, events: 250 });
  const { accounts, events, sequences } = await contentsOf(path);
  const file = await open();
  expect(file.owners).toEqual(['amina', 'bibi', 'juma']);
  expect([file.records, file.events, file.unowned]).toEqual([130, 250, 0]);
  expect(file.sequences).toEqual(sequences);
  for (const owner of file.owners) {
    expect([...file.pieces(owner)].flat()).toEqual(accounts.get(owner));
    expect(file.recordsOf(owner)).toBe(accounts.get(owner)?.length);
  }
  expect([...file.pieces('nobody')]).toEqual([]);
  expect(file.recordsOf('nobody')).toBe(0);
  const found = [...file.auditEvents()];
  expect(found.map(({ event }) => event)).toEqual(events);
  expect(found.map(({ id }) => id)).toEqual(events.map((_, i) => i + 1));
  expect(found.map(({ owner }) => owner)).toEqual(
    events.map((event) => JSON.parse(event).owner_sub),
  );
});

it('leaves records without an owner in the file, and takes the id of the text', async () => {
  await makeShopFile(path, { accounts: ['a'], records: 20, events: 0 });
  await runSql(
    path,
    "update records set body = json_remove(body, '$.owner_sub') where position = 1",
    "update records set body = json_set(body, '$.owner_sub', '') where position = 3",
    "update records set body = json_set(body, '$.id', 'CUS-0777') where position = 5",
    FILL_COLUMNS,
  );
  const file = await open();
  expect([file.records, file.unowned]).toEqual([18, 2]);
  expect([...file.pieces('a')].flat().map(([, id]) => id)).toContain('CUS-0777');
});

it.each([1, 2])('finds the same in a file of schema version %i', async (version) => {
  const shop = { accounts: ['juma', 'amina'], records: 130, events: 2 };
  await makeShopFile(path, { ...shop, version });
  const later = join(folder.path, 'later.db');
  await makeShopFile(later, shop);
  const [file, present] = [await open(), await open(later)];
  expect([file.owners, file.records, file.unowned]).toEqual([['amina', 'juma'], 130, 0]);
  for (const owner of file.owners) {
    expect([...file.pieces(owner)]).toEqual([...present.pieces(owner)]);
  }
});

it('refuses a file with a row whose column and text name two owners', async () => {
  await makeShopFile(path, { accounts: ['a'], records: 3, events: 0 });
  await runSql(path, "update records set owner = 'b' where position = 3");
  await expect(open()).rejects.toThrow(
    /\(position 3\) has another owner in its text than in its column; restore a backup$/,
  );
});

it('takes the highest numbers of the ids where the file is of the first schema', async () => {
  const records = COLLECTION_NAMES.length;
  await makeShopFile(path, { accounts: ['a'], records, events: 0, version: 1 });
  const ones = COLLECTION_NAMES.map((name) => [name, 1]);
  expect((await open()).sequences).toEqual(Object.fromEntries(ones));
});

it('says nothing of a collection that never had a record', async () => {
  await makeShopFile(path, { accounts: ['a'], records: 1, events: 0 });
  expect((await open()).sequences).toEqual({ businesses: 1, orders: 3 });
});

it.each([
  ["update audit_events set event = '[]' where id = 1", 'the audit event 1 of the file is none'],
  ["update audit_events set event = '{' where id = 2", 'the audit event 2 of the file is none'],
  [
    `update audit_events set event = '{"owner_sub":"a"}' where id = 3`,
    'the audit event 3 of the file is none',
  ],
  [
    `update audit_events set event = '{"timestamp":"t"}' where id = 3`,
    'the audit event 3 of the file is none',
  ],
  ["update records set collection = 'x' where position = 1", 'is of no collection'],
  ['pragma application_id = 42', 'it is no database of this program; name another file'],
])('refuses the file after %s, and lets go of it', async (statement, sentence) => {
  await makeShopFile(path, { accounts: ['a'], records: 3, events: 3 });
  await runSql(path, statement);
  await expect(open()).rejects.toThrow(`the file ${path} cannot be read: `);
  await expect(open()).rejects.toThrow(sentence);
});

it('refuses a damaged file, and quotes the finding in one line', async () => {
  await makeShopFile(path, { accounts: ['a'], records: 3, events: 0 });
  const bytes = await readFile(path);
  // The number of free pages (sqlite.org/fileformat.html, 1.3): there are none.
  bytes.writeUInt32BE(5, 36);
  await writeFile(path, bytes);
  await expect(open()).rejects.toThrow(
    / cannot be read: it is damaged \(.+ should be 5\); restore a backup$/,
  );
});

it('refuses a missing file, a folder, and a file that is held', async () => {
  await expect(open()).rejects.toThrow(
    `the file ${path} cannot be read: there is no such file; check the path`,
  );
  await expect(FileAccounts.open(folder.path)).rejects.toThrow('it is not a file');
  await makeShopFile(path, { accounts: ['a'], records: 3, events: 3 });
  const service = new Connection(path);
  service.value('pragma locking_mode = exclusive');
  service.script('begin exclusive; commit');
  await expect(open()).rejects.toThrow(
    'a running service holds it; stop the service, or name a backup',
  );
  service.close();
});
