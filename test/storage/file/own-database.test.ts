// A file with more in it than this program writes: refused at a start and at a
// restore, whatever SQLite's own checks say of it.

import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { checkDatabase } from '../../../src/storage/backup/database-check.js';
import { Connection } from '../../../src/storage/file/connection.js';
import { SCHEMA_STEPS, SCHEMA_VERSION } from '../../../src/storage/file/file-schema.js';
import { expectOwnSchema } from '../../../src/storage/file/own-database.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const ENDLESS = 'with recursive c(n) as (select 1 union all select n + 1 from c)';

/** What somebody did to the file, and the words that name it. */
const CRAFTED: readonly (readonly [what: string, statements: string[], named: string])[] = [
  [
    'a trigger that removes audit events',
    ['create trigger hush after insert on audit_events begin delete from audit_events; end'],
    'the trigger "hush"',
  ],
  [
    'a trigger that moves new records to another account',
    [
      `create trigger move after insert on records begin
         update records set body = json_set(body, '$.owner_sub', 'thief') where position = new.position;
       end`,
    ],
    'the trigger "move"',
  ],
  ['a view', ['create view look as select * from records'], 'the view "look"'],
  ['one more table', ['create table more (a)'], 'the table "more"'],
  ['one more index', ['create index more on records (body)'], 'the index "more"'],
  [
    'an endless view in the place of a table',
    [
      'drop table audit_events',
      `create view audit_events as ${ENDLESS} select n as id, 'x' as event from c`,
    ],
    'the view "audit_events"',
  ],
  [
    'a table with one more column',
    ['alter table audit_events add column seen integer'],
    'the table "audit_events"',
  ],
  [
    'a virtual table',
    ['create virtual table _litestream_seq using fts5(a)'],
    'the table "_litestream_seq"',
  ],
  [
    "an index on one of Litestream's tables",
    ['create table _litestream_seq (id integer)', 'create index s on _litestream_seq (id)'],
    'the index "s"',
  ],
];

let made: TemporaryFolder;
let folder: TemporaryFolder;
let path: string;

beforeAll(async () => {
  made = await openTemporaryFolder();
  await (await openLibsqlStorage({ path: join(made.path, 'service.db') })).close();
});
afterAll(() => made.remove());
beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
  await copyFile(join(made.path, 'service.db'), path);
});
afterEach(() => folder.remove());

describe('A database file', () => {
  it.each(CRAFTED)('with %s is refused at a start, untouched', async (_what, statements, named) => {
    await runSql(path, ...statements);
    const bytes = await readFile(path);
    const refusal = await openLibsqlStorage({ path }).then(
      (storage) => storage.close().then(() => 'it was opened'),
      (error: Error) => error.message,
    );
    expect(refusal).toContain('its schema is not the one that this program writes (it has ');
    expect(refusal).toContain(named);
    expect(refusal).toMatch(/; restore a backup that the service made$/);
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it.each(CRAFTED)('with %s is refused as a backup', async (_what, statements, named) => {
    await runSql(path, ...statements);
    expect(() => checkDatabase(path)).toThrow(named);
  });

  it("with Litestream's own two tables is accepted", async () => {
    await runSql(
      path,
      'create table _litestream_seq (id integer primary key, seq integer)',
      'create table _litestream_lock (id integer)',
    );
    expect(checkDatabase(path)).toMatchObject({ auditEventCount: 0 });
    // Elsewhere: the connection here lets go of the file only when it is collected.
    const copy = join(folder.path, 'copy.db');
    await copyFile(path, copy);
    await (await openLibsqlStorage({ path: copy })).close();
  });

  it('without its index is refused as damaged', async () => {
    await runSql(path, 'drop index records_by_id');
    await expect(openLibsqlStorage({ path })).rejects.toThrow('it is damaged; restore a backup');
  });

  it('of every version has the schema of that version and of no other', () => {
    for (let version = 0; version <= SCHEMA_VERSION; version++) {
      const connection = new Connection(':memory:');
      for (const sql of SCHEMA_STEPS.slice(0, version).flat()) connection.value(sql);
      for (let other = 0; other <= SCHEMA_VERSION; other++) {
        const judge = () => expectOwnSchema(connection, other);
        if (other === version) judge();
        else expect(judge).toThrow(/^its schema|^no such/);
      }
      connection.close();
    }
  });
});
