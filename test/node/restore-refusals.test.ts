// A restore that must not be: one sentence, and the database as it was.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SCHEMA_VERSION } from '../../src/storage/file/file-schema.js';
import {
  BACKUP_RECORDS,
  openRestoration,
  type Restoration,
  recordsIn,
} from '../support/restoration.js';

let on: Restoration;

beforeEach(async () => {
  on = await openRestoration();
});
afterEach(() => on.close());

/** The sentence of a restore that must be refused, and must leave the database and its folder as they were. */
async function refusal(file: string): Promise<string> {
  const before = [await readdir(on.service.folder), await readFile(on.database)];
  const { code, stdout, stderr } = await on.restore([file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).not.toMatch(/\n.|\bat .*:\d+/);
  expect([await readdir(on.service.folder), await readFile(on.database)]).toEqual(before);
  return stderr.trimEnd();
}

describe('A restore', () => {
  it('is refused while a service holds the file, and the service continues', async () => {
    const server = await on.service.start();
    expect((await on.restore([on.backup])).stderr).toBe(
      `the database file ${on.database} cannot be replaced: a running service holds it; stop it first\n`,
    );
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    await server.stop();
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 1);
    expect(await on.keptNames()).toEqual([]);
  });

  it('is refused where the ledger of erased accounts cannot be read', async () => {
    const ledger = on.at('backups-erased.ndjson');
    await mkdir(ledger);
    expect(await refusal(on.backup)).toBe(
      `the ledger of erased accounts ${ledger} cannot be used (EISDIR); ERASURE_LEDGER names another one`,
    );
  });

  it.each([
    ['is not there', () => rm(on.backup), 'there is no such file; check the path (ENOENT)'],
    [
      'is a folder',
      async () => {
        await rm(on.backup);
        await mkdir(on.backup);
      },
      'it is not a file; name the backup itself',
    ],
    [
      'is no database',
      () => writeFile(on.backup, 'no database at all'.repeat(100)),
      'it is not a SQLite database; choose another one',
    ],
    [
      'is empty',
      () => writeFile(on.backup, ''),
      'it is no database of this program; choose another one',
    ],
    [
      "is another program's",
      () => runSql(on.backup, 'pragma application_id = 42'),
      'it is no database of this program; choose another one',
    ],
    [
      'is newer',
      () => runSql(on.backup, 'pragma user_version = 99'),
      `its schema has version 99, this program knows up to ${SCHEMA_VERSION}; choose another one`,
    ],
    [
      'lacks a table',
      () => runSql(on.backup, 'drop table audit_events'),
      /^it is damaged \(.*no such table: audit_events\); choose another one$/,
    ],
    [
      'lacks its end',
      async () => writeFile(on.backup, (await readFile(on.backup)).subarray(0, -4096)),
      /^it is damaged \(.*\); choose another one$/,
    ],
    [
      'has an index that does not fit its table',
      async () => {
        const bytes = await readFile(on.backup);
        // In a leaf of the index, not in the table that the index is on.
        const entry = bytes.indexOf('customersCUS-0001', bytes.indexOf('customersCUS-0001') + 1);
        bytes.write('X', entry + 'customersCUS-'.length);
        await writeFile(on.backup, bytes);
      },
      /^it is damaged \(.*\); choose another one$/,
    ],
  ])('is refused where the backup %s', async (_what, change, reason) => {
    await change();
    const sentence = await refusal(on.backup);
    const start = `the backup ${on.backup} cannot be restored: `;
    expect(sentence.slice(0, start.length)).toBe(start);
    expect(sentence.slice(start.length)).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
  });

  it('is refused where the backup is the database itself', async () => {
    expect(await refusal(on.database)).toContain('it is the database file itself; name a backup');
  });

  it('prints its usage when no backup or more than one is named', async () => {
    for (const args of [[], [on.backup, on.backup], ['--force']]) {
      const { code, stderr } = await on.restore(args);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/\nusage: manage restore FILE /)]);
    }
    expect((await on.restore(['--help'])).code).toBe(0);
  });

  it('is refused where nothing says which database is meant', async () => {
    const before = await readdir(on.service.folder);
    const { code, stdout, stderr } = await on.restore([on.backup], { DATABASE_URL: '' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      "nothing says where the database is: DATABASE_URL is unset; give --database PATH, or --settings with the file of the service's settings\n",
    );
    expect(await readdir(on.service.folder)).toEqual(before);
  });

  it('names the setting that is wrong', async () => {
    const { code, stderr } = await on.restore([on.backup], {
      DATABASE_URL: 'libsql://x?authToken=hush',
    });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^DATABASE_URL is \(hidden\); it must be a local file/),
    ]);
    expect(stderr).not.toContain('hush');
  });
});
