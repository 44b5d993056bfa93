// A hard link names one file, and never replaces another.

import fs, { readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { linkOrCopy } from '../../../src/storage/file/durable-files.js';
import { testFolder } from '../../support/test-folder.js';

const { at } = testFolder();

it.each([
  ['is of the same file', false],
  ['is of a copy for its owner alone if the disk has no hard links', true],
])('A hard link %s, and replaces none', (_, isCopied) => {
  writeFileSync(at('source'), 'of the source');
  writeFileSync(at('taken'), 'mine');
  if (isCopied) {
    const linking = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw new Error('EPERM: no links here');
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      linking.mockRestore();
      syncBuiltinESMExports();
    });
  }
  linkOrCopy(at('source'), at('name'));
  expect(readFileSync(at('name'), 'utf8')).toBe('of the source');
  const [source, { ino, mode }] = [statSync(at('source')), statSync(at('name'))];
  expect([ino === source.ino, isCopied ? mode & 0o777 : 0o600]).toEqual([!isCopied, 0o600]);
  expect(() => linkOrCopy(at('source'), at('taken'))).toThrow('EEXIST');
  expect(readFileSync(at('taken'), 'utf8')).toBe('mine');
});
