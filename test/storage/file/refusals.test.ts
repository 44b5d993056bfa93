// Files that the libSQL storage refuses to open: it says why in one sentence
// that names the file, and leaves the file as it was.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { explained } from '../../../src/storage/file/connection-errors.js';
import { SCHEMA_VERSION } from '../../../src/storage/file/file-schema.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, loaded, rows } from '../storage-conformance.js';

const PAGE_BYTES = 4096;

describe('Opening a libSQL storage', () => {
  let folder: TemporaryFolder;
  let path: string;

  beforeEach(async () => {
    folder = await openTemporaryFolder();
    path = join(folder.path, 'service.db');
  });
  afterEach(() => folder.remove());

  /** Opens and resolves with the reason of the refusal. */
  async function refusalOf(file: string): Promise<string> {
    const refusal = await openLibsqlStorage({ path: file }).then(
      async (storage) => {
        await storage.close();
        return new Error('it was opened');
      },
      (error: Error) => error,
    );
    const [, reason = refusal.message] = refusal.message.split(
      `the database file ${file} cannot be used: `,
    );
    // One sentence in plain words: no line break, no code of a library.
    expect(reason).not.toMatch(/\n|SQLITE_|ConnectionFailed|\bE[A-Z]{4,}\b.*,/);
    return reason;
  }

  async function expectUntouched(file: string, bytes: Buffer): Promise<void> {
    expect((await readFile(file)).equals(bytes)).toBe(true);
    // The mark is of an opening before.
    const left = (await readdir(dirname(file))).filter((name) => !name.endsWith('-state'));
    expect(left).toEqual(['service.db']);
  }

  async function makeDatabase(): Promise<void> {
    const storage = await openLibsqlStorage({ path });
    await storage.commit(changes({ puts: rows(200, 1000) }));
    await storage.close();
  }

  it.each([
    ['a long text', 'This is a letter, not a database.\n'.repeat(500)],
    ['a short text', 'hello'],
    ['a page of zeros', '\0'.repeat(PAGE_BYTES)],
  ])('refuses %s, untouched', async (_, text) => {
    await writeFile(path, text);
    expect(await refusalOf(path)).toBe(
      'it is not a SQLite database; name another file or restore a backup',
    );
    await expectUntouched(path, Buffer.from(text));
  });

  it.each(['delete', 'wal'])(
    "refuses another program's SQLite database in %s mode, untouched and free at once",
    async (mode) => {
      await runSql(path, `pragma journal_mode = ${mode}`, 'create table notes (text)');
      const bytes = await readFile(path);
      expect(await refusalOf(path)).toBe('it is no database of this program; name another file');
      await expectUntouched(path, bytes);
      await runSql(path, "insert into notes values ('still mine')");
    },
  );

  it.each(['pragma application_id = 42', 'pragma user_version = 1'])(
    "refuses another program's database that has no table yet, only '%s'",
    async (mark) => {
      await runSql(path, mark);
      const bytes = await readFile(path);
      expect(await refusalOf(path)).toBe('it is no database of this program; name another file');
      await expectUntouched(path, bytes);
    },
  );

  it('refuses a database of its own that has lost its tables', async () => {
    await makeDatabase();
    await runSql(path, 'drop table records');
    expect(await refusalOf(path)).toBe('it is damaged; restore a backup');
  });

  it('refuses a schema newer than it knows, untouched', async () => {
    await makeDatabase();
    await runSql(path, 'pragma user_version = 99');
    const bytes = await readFile(path);
    expect(await refusalOf(path)).toBe(
      `its schema has version 99, this program knows up to ${SCHEMA_VERSION}; run a newer release`,
    );
    await expectUntouched(path, bytes);
  });

  it('refuses a database with damage in any of its pages, untouched', async () => {
    await makeDatabase();
    const bytes = await readFile(path);
    expect(bytes.length).toBeGreaterThan(5 * PAGE_BYTES);
    for (let page = 0; page < bytes.length; page += PAGE_BYTES) {
      const damaged = Buffer.from(bytes);
      // The first page begins with the file's header; its table follows it.
      damaged.fill(0xff, page === 0 ? 100 : page, page + 164);
      await writeFile(path, damaged);
      expect(await refusalOf(path)).toMatch(/damage.*; restore a backup$/);
      await expectUntouched(path, damaged);
    }
  });

  it('refuses a database whose end is missing, untouched', async () => {
    await makeDatabase();
    const cut = (await readFile(path)).subarray(0, -PAGE_BYTES);
    await writeFile(path, cut);
    expect(await refusalOf(path)).toMatch(/damage.*; restore a backup$/);
    await expectUntouched(path, cut);
  });

  it('refuses a folder', async () => {
    await mkdir(path);
    expect(await refusalOf(path)).toBe(
      'it cannot be opened; check that the path is a file in a writable folder',
    );
  });

  it('refuses a path whose folder cannot be created', async () => {
    await writeFile(path, 'a file');
    expect(await refusalOf(join(path, 'data', 'service.db'))).toBe(
      'its folder cannot be made (ENOTDIR); check that the path is a file in a writable folder',
    );
    await expectUntouched(path, Buffer.from('a file'));
  });

  it('creates a missing folder with any characters in its path', async () => {
    const file = join(folder.path, 'new', 'a b%41?x=1#y;z', 'ü🧵', "it's.db");
    for (const round of [0, 1]) {
      const storage = await openLibsqlStorage({ path: file });
      await storage.commit(changes({ puts: rows(1, 1000 + round) }));
      expect((await loaded(storage)).filter(({ position }) => position >= 1000)).toEqual(
        rows(round + 1, 1000),
      );
      await storage.close();
    }
    expect(await readdir(dirname(file))).toEqual(["it's.db", "it's.db-state"]);
  });

  it('takes an empty file as a new database', async () => {
    await writeFile(path, '');
    const storage = await openLibsqlStorage({ path });
    expect((await loaded(storage)).length).toBeGreaterThan(0);
    await storage.close();
  });
});

describe('A disk that fails while the file is opened', () => {
  it.each([
    ['SQLITE_FULL: database or disk is full', 'its disk is full; make room and start again'],
    ['ENOSPC: no space left on device, write', 'its disk is full; make room and start again'],
    [
      'SQLITE_IOERR_FSYNC: disk I/O error',
      'its disk or file system fails (an I/O error); look at the log of the system',
    ],
    [
      'EIO: i/o error, fsync',
      'its disk or file system fails (an I/O error); look at the log of the system',
    ],
  ])('is named in plain words, for every error text: %s', (message, sentence) => {
    expect(explained(new Error(message))).toBe(sentence);
  });
});
