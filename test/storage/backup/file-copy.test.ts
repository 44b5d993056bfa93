// A second name for a file: never that of another one.

import fs, { readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { nameAgain } from '../../../src/storage/file/file-copy.js';
import { testFolder } from '../../support/test-folder.js';

const { at } = testFolder();

it.each([
  ['is of the same file', false],
  ['is of a copy for its owner alone where there are no hard links', true],
])('A second name %s, and replaces none', async (_, isCopied) => {
  await writeFile(at('source'), 'of the source');
  await writeFile(at('taken'), 'mine');
  if (isCopied) {
    const refused = Object.assign(new Error('no links here'), { code: 'EPERM' });
    const linking = vi.spyOn(fs, 'link').mockRejectedValue(refused);
    syncBuiltinESMExports();
    onTestFinished(() => {
      linking.mockRestore();
      syncBuiltinESMExports();
    });
  }
  await nameAgain(at('source'), at('name'));
  expect(await readFile(at('name'), 'utf8')).toBe('of the source');
  const [source, { ino, mode }] = [await stat(at('source')), await stat(at('name'))];
  expect([ino === source.ino, isCopied ? mode & 0o777 : 0o600]).toEqual([!isCopied, 0o600]);
  await expect(nameAgain(at('source'), at('taken'))).rejects.toThrow('EEXIST');
  expect(await readFile(at('taken'), 'utf8')).toBe('mine');
});
