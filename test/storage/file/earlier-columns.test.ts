// Files of the schema versions before owner and status had columns: a start brings them along, in
// one transaction. What their rows are does not change by that.

import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { RecordSet } from '../../../src/core/records/record-set.js';
import type { StoredRow } from '../../../src/core/records/record-storage.js';
import { SCHEMA_STEPS, SCHEMA_VERSION } from '../../../src/storage/file/file-schema.js';
import { contentsOf, makeShopFile } from '../../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { loaded } from '../storage-conformance.js';

const SHOP = { accounts: ['juma', 'zoé', 'a"b', 'bibi\\'], records: 2_000, events: 40 };
/** Half of a surrogate pair, which JSON can write and UTF-8 cannot. */
const HALF = '\ud800';

let folder: TemporaryFolder;
let path: string;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
});
afterEach(() => folder.remove());

async function startOnce(): Promise<StoredRow[]> {
  const storage = await openLibsqlStorage({ path });
  return loaded(storage).finally(() => storage.close());
}

/** A file of version 2 with these bodies, as another program may have written them. */
async function makeFile(bodies: readonly string[]): Promise<void> {
  const text = JSON.stringify(bodies).replaceAll("'", "''");
  await runSql(
    path,
    ...SCHEMA_STEPS.slice(0, 2).flat(),
    `insert into records select key + 1, 'customers', 'CUS-' || (key + 1), value, 5, 6
       from json_each('${text}')`,
    // As a service leaves it, so that an opening alone changes no byte.
    'pragma journal_mode = wal',
  );
}

describe.each([1, 2])('A file of schema version %i', (version) => {
  it('is of the present version after a start, with all that it had', async () => {
    await makeShopFile(path, { ...SHOP, version });
    // Version 1 has no table of the highest numbers.
    if (version === 1) await runSql(path, 'create table sequences (collection, highest)');
    const before = await contentsOf(path);
    if (version === 1) await runSql(path, 'drop table sequences');
    expect(await startOnce()).toHaveLength(SHOP.records);
    expect(await runSql(path, 'pragma user_version')).toEqual([{ user_version: SCHEMA_VERSION }]);
    // Of a copy: the library keeps a file until its statements are collected, and one more start follows.
    await copyFile(path, `${path}-copy`);
    expect(await contentsOf(`${path}-copy`)).toEqual(before);
    expect(
      await runSql(
        path,
        "select distinct owner, status from records where status <> 'New' order by 1",
      ),
    ).toEqual([...SHOP.accounts].sort().map((owner) => ({ owner, status: 'Ready' })));
    // Nothing is left to do.
    const bytes = await readFile(path);
    await startOnce();
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });
});

describe('Rows of a file without columns for owner and status', () => {
  /** Of each body what the columns have then. */
  const BODIES: readonly (readonly [body: string, owner: string | null, status: unknown])[] = [
    ['{"id":"CUS-1","owner_sub":"juma","status":"New"}', 'juma', 'New'],
    ['{"id":"CUS-2","owner_sub":"juma"}', 'juma', null],
    ['{"id":"CUS-3","owner_sub":"juma","status":null}', 'juma', 0],
    ['{"id":"CUS-4","owner_sub":"juma","status":{"New":1}}', 'juma', 0],
    ['{"id":"CUS-5","owner_sub":""}', null, null],
    ['{"id":"CUS-6","owner_sub":7,"status":7}', null, 0],
    ['{"name":"nobody\'s"}', null, null],
    // What SQL reads otherwise than this program does.
    ['{"owner_sub":"first","owner_sub":"last","status":"a","status":"b"}', 'last', 'b'],
    [`{"id":"CUS-9","owner_sub":"${JSON.stringify(HALF).slice(1, -1)}"}`, '\ufffd', null],
    ['{ "status": "New", "owner_sub": "zo\\u00e9", "id": "CUS-10" }', 'zoé', 'New'],
    ['{"id":"CUS-11","owner_sub":"a\\u0000b","status":"\\u0000"}', 'a\0b', '\0'],
    ['{"id":"CUS-12","owner_sub":"a\\"b\\\\"}', 'a"b\\', null],
  ];

  it('have in them what their bodies say, as this program reads them', async () => {
    await makeFile(BODIES.map(([body]) => body));
    const rows = await startOnce();
    expect(rows.map(({ body }) => body)).toEqual(BODIES.map(([body]) => body));
    const [found] = await runSql(
      path,
      'select json_group_array(json_array(owner, status)) as columns from records order by position',
    );
    expect(JSON.parse(String(found?.['columns']))).toEqual(
      BODIES.map(([, owner, status]) => [owner, status]),
    );
  });

  it('are the same records in memory as rows that are parsed one by one', async () => {
    await makeFile(BODIES.map(([body]) => body));
    const [parsed, stored] = [new RecordSet(), new RecordSet()];
    const rows = await startOnce();
    parsed.load(rows);
    const storage = await openLibsqlStorage({ path });
    for await (const page of storage.load()) stored.load(page);
    await storage.close();
    const told = (set: RecordSet) =>
      set.owners
        .slice(0, 100)
        .map((owner) => [owner, set.snapshot(owner, 'customers').chunks.flat()]);
    expect(told(stored)).toEqual(told(parsed));
    expect(stored.has(HALF)).toBe(true);
  });

  it.each([
    ['is no JSON', '{"id":"CUS-2","owner_sub":"juma","canary":}', 'is not JSON'],
    ['is a list', '["canary"]', 'is not a JSON object'],
  ])('keep the file as it was where a body %s, and the row is named', async (_, body, finding) => {
    await makeFile(['{"id":"CUS-1","owner_sub":"juma"}', body]);
    const bytes = await readFile(path);
    const refusal = await startOnce().catch((error: Error) => error.message);
    expect(refusal).toBe(
      `the database file ${path} cannot be used: the stored row customers CUS-2 (position 2) ${finding}; restore a backup`,
    );
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });
});

describe('A row whose column and body name two owners', () => {
  it('ends the start, which names the row', async () => {
    await startOnce();
    await runSql(path, "update records set owner = 'canary' where position = 3");
    const refusal = await startOnce().catch((error: Error) => error.message);
    expect(refusal).toMatch(
      /^the stored row \w+ [A-Z]+-\d+ \(position 3\) has another owner in its text than in its column; restore a backup$/,
    );
    expect(refusal).not.toContain('canary');
  });
});

describe('A row whose body another program broke', () => {
  it('ends the start, which names the row', async () => {
    await startOnce();
    await runSql(
      path,
      `update records set body = replace(body, '"name":"', '"name":"canary"') where id = 'CUS-0002'`,
    );
    const refusal = await startOnce().catch((error: Error) => error.message);
    expect(refusal).toMatch(
      /^the stored row customers CUS-0002 \(position \d+\) is not JSON; restore a backup$/,
    );
  });
});
