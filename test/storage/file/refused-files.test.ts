// Files that a start refuses: `--check` and a restore refuse them with the same sentence, which
// names the file, and none changes it.

import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { changes, rows } from '../../../src/storage/conformance/check.js';
import { USE_ANOTHER_FILE } from '../../../src/storage/file/connection-errors.js';
import { inspectDatabase } from '../../../src/storage/file/database-path.js';
import { checkDatabase } from '../../../src/storage/file/open-database.js';
import { testFolder } from '../../support/test-folder.js';

const PAGE_BYTES = 4096;

const folder = testFolder();
let path: string;

beforeEach(() => {
  path = folder.at('service.db');
});

const inspect = (path: string) => inspectDatabase({ path });

async function ours(...statements: readonly string[]): Promise<void> {
  const storage = await openLibsqlStorage({ path });
  await storage.commit(changes({ puts: rows(200, 1000) }));
  await storage.close();
  await runSql(path, ...statements);
}

/** Why a start refuses the file; `--check` says the same. */
async function refusalOf(name: string, checked = name): Promise<string> {
  const start = openLibsqlStorage({ path: name }).then((storage) => storage.close());
  const [reason, other] = [await reasonOf(name, start), await reasonOf(checked, inspect(checked))];
  expect(other).toBe(reason);
  // One sentence in plain words: no line break, no code of a library.
  expect(reason).not.toMatch(/\n|SQLITE_|ConnectionFailed|\bE[A-Z]{4,}\b.*,/);
  return reason;
}

async function reasonOf(name: string, opening: Promise<unknown>): Promise<string> {
  const message = await opening.then(String, (error: Error) => error.message);
  return message.replace(`the database file ${name} cannot be used: `, '');
}

/** In another process, because here a connection releases a file only when collected. */
async function copied(): Promise<string> {
  const copy = folder.at(`copy-${randomUUID()}.db`);
  await copyFile(path, copy);
  return copy;
}

/** The reason; the file is as it was. */
async function refusedUntouched(): Promise<string> {
  const bytes = await readFile(path);
  const reason = await refusalOf(path, await copied());
  expect((await readFile(path)).equals(bytes)).toBe(true);
  return reason;
}

const NO_DATABASE = `it is not a SQLite database; ${USE_ANOTHER_FILE}`;
const ANOTHERS = `it belongs to another program; ${USE_ANOTHER_FILE}`;
const FOREIGN = `its schema is not the one that this program writes; ${USE_ANOTHER_FILE}`;
const ofVersion = (version: number) =>
  `its schema has version ${version}, this program's has 3; run the release that wrote it`;
const DAMAGED = /damage.*; name another file, or restore a good backup$/;

describe('A file is refused', () => {
  it.each(['hello', 'a letter '.repeat(500), '\0'.repeat(4096)])('that is text', async (text) => {
    await writeFile(path, text);
    expect(await refusedUntouched()).toBe(NO_DATABASE);
  });

  it.each(['create table notes (text)', 'pragma application_id = 42', 'pragma user_version = 1'])(
    "that is another program's: %s",
    async (statement) => {
      await runSql(path, 'pragma journal_mode = wal', statement);
      expect(await refusedUntouched()).toBe(ANOTHERS);
    },
  );

  it('by --check if any of its pages is damaged, or its end is missing', async () => {
    await ours();
    const bytes = await readFile(path);
    expect(bytes.length).toBeGreaterThan(5 * PAGE_BYTES);
    for (let page = 0; page < bytes.length; page += PAGE_BYTES) {
      const damaged = Buffer.from(bytes);
      // The first page begins with the file's header; its table follows it.
      damaged.fill(0xff, page === 0 ? 100 : page, page + 164);
      await writeFile(path, damaged);
      const copy = await copied();
      expect(await reasonOf(copy, inspect(copy))).toMatch(DAMAGED);
    }
    await writeFile(path, bytes.subarray(0, -PAGE_BYTES));
    expect(await refusedUntouched()).toMatch(DAMAGED);
  });

  const hush = 'after insert on audit_events begin delete from audit_events; end';
  const endless = 'with recursive c(n) as (select 1 union all select n + 1 from c) select n from c';
  const litestreams = 'create table _litestream_seq (id integer)';

  // Whatever SQLite's own checks say of it.
  it.each<[reason: string, ...statements: string[]]>([
    [ofVersion(2), 'pragma user_version = 2'],
    [ofVersion(99), 'pragma user_version = 99'],
    [FOREIGN, `create trigger hush ${hush}`],
    [FOREIGN, 'create view look as select * from records'],
    [FOREIGN, 'create table more (a)'],
    [FOREIGN, 'drop table records'],
    [FOREIGN, 'create index more on records (body)'],
    // Replaces a table, to hang a count of it.
    [FOREIGN, 'drop table audit_events', `create view audit_events as ${endless}`],
    [FOREIGN, 'alter table audit_events add column seen integer'],
    [FOREIGN, 'create virtual table _litestream_seq using fts5(a)'],
    [FOREIGN, litestreams, 'create index s on _litestream_seq (id)'],
  ])('because %s: after %s, even as a backup', async (reason, ...statements) => {
    await ours(...statements);
    const copy = await copied();
    expect(() => checkDatabase(copy)).toThrow(reason);
    expect(await refusedUntouched()).toBe(reason);
  });

  it('that is a folder, or below a file', async () => {
    await mkdir(path);
    await writeFile(folder.at('file'), 'a file');
    for (const place of [path, folder.at('file/data/service.db')]) {
      expect(await refusalOf(place)).toMatch(/^it cannot be opened for writing; check that/);
    }
  });

  it('that is missing, if a link leads to it', async () => {
    const link = folder.at('link.db');
    await symlink(path, link);
    expect(await refusalOf(link)).toBe(
      `it is missing, and ${link} shows that there was one; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
    );
    await ours();
    expect(await inspect(link)).toBe('usable');
  });
});

it("A file with Litestream's own two tables is accepted", async () => {
  const table = 'create table _litestream_seq (id integer primary key, seq integer)';
  await ours(table, 'create table _litestream_lock (id integer)');
  expect(checkDatabase(path)).toMatchObject({ auditEventCount: 0 });
});
