// Whether a file is as this program left it: while it is open, and at the next start, which looks
// at every page and row of a file that was changed.

import { copyFile, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { type FileStorage, openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../../src/core/domain/sample-records.js';
import { isAsClosed } from '../../../src/storage/file/state-mark.js';
import { testFolder } from '../../support/test-folder.js';
import { changes, loaded, row, rows } from '../storage-conformance.js';

const folder = testFolder();
let path: string;
let storage: FileStorage;

beforeEach(async () => {
  path = folder.at('service.db');
  storage = await openLibsqlStorage({ path });
});
afterEach(() => storage.close().catch(() => {}));

async function startOnce(): Promise<number> {
  const started = await openLibsqlStorage({ path });
  return (await loaded(started).finally(() => started.close())).length;
}

const backup = () => folder.at('backup.db');

it('While it is open, commits, log write-backs, trial commits and backups are its own', async () => {
  for (let round = 0; round < 20; round++) {
    // Together more than the 1,000 pages at which SQLite writes the log back.
    await storage.commit(changes({ puts: rows(300, 1000 + 300 * round) }));
    expect(await storage.isIntact()).toBe(true);
  }
  await storage.backup(backup());
  await storage.touch();
  await storage.commit(changes({ removals: rows(900, 1000).map(({ position }) => position) }));
  expect(await storage.isIntact()).toBe(true);
});

it.each([
  ['copied over it', () => copyFile(backup(), path)],
  ['cut', () => truncate(path, 4_096)],
  ['touched', () => utimes(path, 1, 1)],
])('While it is open, a file that is %s is not intact, nor marked as closed', async (_, write) => {
  await storage.backup(backup());
  await storage.commit(changes({ puts: [row(1000)] }));
  await write();
  await storage.commit(changes({ puts: [row(1001)] }));
  expect(await storage.isIntact()).toBe(false);
  await storage.touch().catch(() => {});
  expect(await storage.isIntact()).toBe(false);
  await storage.close();
  expect(await readFile(`${path}-state`, 'utf8')).toMatch(/^in use\n/);
});

it('At a start, a file that was closed and not changed is known, also after starts that write nothing', async () => {
  expect(isAsClosed(path)).toBe(false);
  await storage.close();
  expect(isAsClosed(path)).toBe(true);
  expect(await startOnce()).toBe(SAMPLE_COUNT);
  expect(isAsClosed(path)).toBe(true);
  await writeFile(`${path}-wal`, 'x');
  expect(isAsClosed(path)).toBe(false);
});

it('At a start, a row that another program spoilt is named, without its text', async () => {
  await storage.close();
  await runSql(path, "update records set body = 'canary {' where position = 2");
  expect(isAsClosed(path)).toBe(false);
  await expect(startOnce()).rejects.toThrow(
    /^the stored row \w+ [A-Z]+-\d+ \(position 2\) is not JSON; restore a backup$/,
  );
});

it('At a start, a change that only the mark hides is not looked for', async () => {
  await storage.close();
  const body = `replace(body, '"name":', '"name":canary')`;
  await runSql(path, `update records set body = ${body} where position = 2`);
  const { size, ctimeNs } = await stat(path, { bigint: true });
  const [state, identity] = (await readFile(`${path}-state`, 'utf8')).split('\n');
  await writeFile(`${path}-state`, `${state}\n${identity}\n${size} ${ctimeNs}\n`);
  expect(await startOnce()).toBe(SAMPLE_COUNT);
  // A mark of an earlier release says less.
  await writeFile(`${path}-state`, `${state}\n${identity}\n`);
  expect(isAsClosed(path)).toBe(false);
});
