// The file as the storage thread has it: the log beside it, and what is done beside a replica.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LibsqlFile } from '../../../src/storage/file/database-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
let path: string;
let file: LibsqlFile | undefined;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
  await writeFile(path, '');
});
afterEach(async () => {
  file?.close();
  await folder.remove();
});

it.each(['alone', 'shared'] as const)('%s: the log beside the file is emptied', async (holding) => {
  file = await LibsqlFile.open(path, '[]', 1, holding);
  await file.commits.touch();
  expect(file.logBytes).toBeGreaterThan(4_096);
  expect(file.emptyLog()).toBe(true);
  expect(file.logBytes).toBe(0);
  await rm(`${path}-wal`);
  expect(file.logBytes).toBe(0);
});
