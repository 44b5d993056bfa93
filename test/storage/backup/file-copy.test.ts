// Copies and second names of files: whole, for their owner alone, never over another file.

import fs, { readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copySynced, nameAgain } from '../../../src/storage/file/file-copy.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const { at } = folder;

beforeEach(async () => {
  await writeFile(at('source'), 'of the source');
  await writeFile(at('taken'), 'mine');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it('A copy has all pieces of a large file, only its owner may read it, and it replaces none', async () => {
  const large = Buffer.alloc(4 * 1024 * 1024 + 5, 'pieces of 7');
  await writeFile(at('large'), large);
  await copySynced(at('large'), at('copy'));
  expect((await readFile(at('copy'))).equals(large)).toBe(true);
  expect((await stat(at('copy'))).mode & 0o777).toBe(0o600);
  await expect(copySynced(at('source'), at('taken'))).rejects.toThrow('EEXIST');
  expect(await readFile(at('taken'), 'utf8')).toBe('mine');
});

it('A second name is of the same file, or of a copy where there are no hard links, and replaces none', async () => {
  await nameAgain(at('source'), at('name'));
  expect((await stat(at('name'))).ino).toBe((await stat(at('source'))).ino);
  await expect(nameAgain(at('source'), at('taken'))).rejects.toThrow('EEXIST');
  expect(await readFile(at('taken'), 'utf8')).toBe('mine');
  const refused = Object.assign(new Error('no links here'), { code: 'EPERM' });
  vi.spyOn(fs, 'link').mockRejectedValue(refused);
  syncBuiltinESMExports();
  await nameAgain(at('source'), at('copied'));
  expect(await readFile(at('copied'), 'utf8')).toBe('of the source');
  expect((await stat(at('copied'))).ino).not.toBe((await stat(at('source'))).ino);
});
