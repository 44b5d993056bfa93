// Copies and second names of files: whole, for their owner alone, never over another file.

import fs, { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  copySynced,
  expectRoom,
  fileErrorText,
  isThere,
  nameAgain,
  removeDatabase,
} from '../../../src/storage/backup/file-copy.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
const at = (name: string) => join(folder.path, name);

beforeEach(async () => {
  folder = await openTemporaryFolder();
  await writeFile(at('source'), 'of the source');
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await folder.remove();
});

describe('A copy', () => {
  it('has all pieces of a large file, and only its owner may read it', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024 + 5, 'pieces of 7');
    await writeFile(at('large'), large);
    await copySynced(at('large'), at('copy'));
    expect((await readFile(at('copy'))).equals(large)).toBe(true);
    expect((await stat(at('copy'))).mode & 0o777).toBe(0o600);
  });

  it('leaves a file open that was given open, and replaces none', async () => {
    const source = await open(at('source'));
    await copySynced(source, at('copy'));
    expect((await source.stat()).isFile()).toBe(true);
    await source.close();
    await expect(copySynced(at('source'), at('copy'))).rejects.toThrow('EEXIST');
    expect(await readFile(at('copy'), 'utf8')).toBe('of the source');
  });

  it('closes the files that it opened, also when it fails', async () => {
    const real = fs.open;
    const opened: (() => number)[] = [];
    vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
      const handle = await real(...args);
      opened.push(() => handle.fd);
      return handle;
    });
    syncBuiltinESMExports();
    await copySynced(at('source'), at('copy'));
    await expect(copySynced(at('source'), at('copy'))).rejects.toThrow('EEXIST');
    expect(opened.map((descriptor) => descriptor())).toEqual([-1, -1, -1]);
  });

  it('is not begun when it would fill its disk', async () => {
    await expectRoom(folder.path, 1);
    await expect(expectRoom(folder.path, Number.MAX_SAFE_INTEGER)).rejects.toThrow(
      /^its disk has \d+ MB free, it needs 9007199255 MB and leaves 68 MB to others; make room$/,
    );
  });

  it('may take all but the reserve of 64 MiB', async () => {
    const free = 100 * 1024 * 1024;
    vi.spyOn(fs, 'statfs').mockResolvedValue({ bavail: free / 4_096, bsize: 4_096 } as never);
    syncBuiltinESMExports();
    await expectRoom(folder.path, 36 * 1024 * 1024);
    await expect(expectRoom(folder.path, 36 * 1024 * 1024 + 1)).rejects.toThrow(
      'its disk has 105 MB free, it needs 38 MB and leaves 68 MB to others; make room',
    );
  });
});

describe('A second name', () => {
  it('is of the same file, and replaces none', async () => {
    await nameAgain(at('source'), at('name'));
    expect((await stat(at('name'))).ino).toBe((await stat(at('source'))).ino);
    await writeFile(at('taken'), 'mine');
    await expect(nameAgain(at('source'), at('taken'))).rejects.toThrow('EEXIST');
    expect(await readFile(at('taken'), 'utf8')).toBe('mine');
  });

  it('is of a copy on a file system without hard links', async () => {
    const refused = Object.assign(new Error('no links here'), { code: 'EPERM' });
    vi.spyOn(fs, 'link').mockRejectedValue(refused);
    syncBuiltinESMExports();
    await nameAgain(at('source'), at('name'));
    expect(await readFile(at('name'), 'utf8')).toBe('of the source');
    expect((await stat(at('name'))).ino).not.toBe((await stat(at('source'))).ino);
  });
});

it('Only a missing file is not there; one that cannot be looked at is an error', async () => {
  expect([await isThere(at('source')), await isThere(at('none'))]).toEqual([true, false]);
  await expect(isThere(at('source/below'))).rejects.toThrow('ENOTDIR');
});

it('A database is removed with the files beside it', async () => {
  for (const end of ['', '-wal', '-shm', '-journal', '-other']) await writeFile(at(`db${end}`), '');
  await removeDatabase(at('db'));
  await removeDatabase(at('db'));
  expect((await readdir(folder.path)).sort()).toEqual(['db-other', 'source']);
});

it.each([
  ['ENOENT', 'its folder is not there; make it, or mount its disk'],
  ['ENOTDIR', 'its folder is a file; name a folder'],
  ['EACCES', 'its folder cannot be written; check its owner and permissions'],
  ['EPERM', 'its folder cannot be written; check its owner and permissions'],
  ['EROFS', 'its folder cannot be written; check its owner and permissions'],
  ['ENOSPC', 'its disk is full; make room'],
  ['EDQUOT', 'its disk is full; make room'],
  ['EFBIG', 'this process may not write so large a file; raise its limit'],
  ['EIO', 'as the system says it'],
])('The error %s of a file is a sentence for the operator', (code, sentence) => {
  expect(fileErrorText(Object.assign(new Error('as the system says it'), { code }))).toBe(sentence);
});

it('An error of another kind keeps its own words', () => {
  expect(fileErrorText(new Error('its words'))).toBe('its words');
  expect(fileErrorText('its words')).toBe('its words');
});
