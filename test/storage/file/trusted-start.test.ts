// A start looks at every page and row of the file, unless a clean stop left it as it is.

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../../src/core/domain/sample-records.js';
import { isAsClosed } from '../../../src/storage/file/state-mark.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { loaded } from '../storage-conformance.js';

let folder: TemporaryFolder;
let path: string;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
  await startOnce();
});
afterEach(() => folder.remove());

async function startOnce(): Promise<number> {
  const storage = await openLibsqlStorage({ path });
  try {
    return (await loaded(storage)).length;
  } finally {
    await storage.close();
  }
}

it('A file that was closed and not changed is known as such, also after starts that write nothing', async () => {
  expect(isAsClosed(path)).toBe(true);
  expect(await startOnce()).toBe(SAMPLE_COUNT);
  expect(isAsClosed(path)).toBe(true);
});

it('A file in use is not known as closed, nor is one with a log', async () => {
  const storage = await openLibsqlStorage({ path });
  expect(isAsClosed(path)).toBe(false);
  await storage.close();
  await writeFile(`${path}-wal`, 'x');
  expect(isAsClosed(path)).toBe(false);
});

const SPOIL = "update records set body = 'canary {' where position = 2";

it('A row that another program spoilt since is refused', async () => {
  await runSql(path, SPOIL);
  expect(isAsClosed(path)).toBe(false);
  await expect(startOnce()).rejects.toThrow(/position 2\) is not JSON; restore a backup$/);
});

it('A change that only the mark hides is not looked for', async () => {
  await runSql(
    path,
    SPOIL.replace('canary {', '{"id":"CUS-0001","owner_sub":"local-preview",canary'),
  );
  const { size, ctimeNs } = await stat(path, { bigint: true });
  const [state, identity] = (await readFile(`${path}-state`, 'utf8')).split('\n');
  await writeFile(`${path}-state`, `${state}\n${identity}\n${size} ${ctimeNs}\n`);
  expect(isAsClosed(path)).toBe(true);
  expect(await startOnce()).toBe(SAMPLE_COUNT);
});

it('A mark of an earlier release does not say that the file is unchanged', async () => {
  const [state, identity] = (await readFile(`${path}-state`, 'utf8')).split('\n');
  for (const text of [`${state}\n`, `${state}\n${identity}\n`]) {
    await writeFile(`${path}-state`, text);
    expect(isAsClosed(path)).toBe(false);
  }
});
