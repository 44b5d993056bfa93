// The parts of the trial `power`: the model of a disk, and the reader of traces.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { Disk } from './disk/disk.js';
import { readTrace, type Step } from './disk/trace.js';
import { randomFrom } from './load/random.js';

const FILE = '/disk/file';
const SECTOR = 512;

function write(text: string, offset = 0): Step {
  return { kind: 'write', path: FILE, offset, data: Buffer.from(text) };
}

function sync(path = FILE, failed = false): Step {
  return { kind: 'sync', path, failed };
}

/** Every content that the file may have after these steps, as text; `-` when the file is gone. */
function found(...steps: Step[]): string[] {
  const disk = new Disk('/disk');
  for (const step of [{ kind: 'create', path: FILE } as const, ...steps]) disk.take(step);
  const random = randomFrom(1);
  const texts = Array.from({ length: 300 }, () => disk.afterPowerLoss(random).get(FILE));
  return [...new Set(texts.map((bytes) => bytes?.toString() ?? '-'))].sort();
}

describe('A disk that loses power', () => {
  it('has all synced writes, and any subset of the others', () => {
    const named = sync('/disk');
    const texts = found(named, write('a'), sync(), write('b', 1), write('c', 2));
    expect(texts).toEqual(['a', 'a\0c', 'ab', 'abc']);
  });

  it('has a synced file only under a name that was synced', () => {
    expect(found(write('a'), sync())).toEqual(['-', 'a']);
    expect(found(write('a'), sync(), sync('/disk'))).toEqual(['a']);
  });

  it('may still have a removed file until its folder is synced', () => {
    const made = [write('a'), sync(), sync('/disk')];
    const removed: Step = { kind: 'remove', path: FILE };
    expect(found(...made, removed)).toEqual(['-', 'a']);
    expect(found(...made, removed, sync('/disk'))).toEqual(['-']);
  });

  it('tears a write only at sector borders', () => {
    const texts = found(sync('/disk'), write('x'.repeat(3 * SECTOR)));
    const pieces = texts.map((text) => text.replaceAll('x'.repeat(SECTOR), 'X'));
    const gone = '\0'.repeat(SECTOR);
    for (const text of pieces) expect(text.replaceAll(gone, '_')).toMatch(/^[X_]*$/);
    expect(pieces).toContain(`${gone}X`);
  });

  it('may lose the writes of a failed sync permanently, also when a later sync succeeds', () => {
    const failed = [sync('/disk'), write('a'), sync(FILE, true), write('b', 1), sync()];
    expect(found(...failed)).toEqual(['\0b', 'ab']);
    expect(found(...failed, write('a'), sync())).toEqual(['ab']);
  });
});

describe('A trace', () => {
  it('gives writes from where they begin, syncs from where they end, answers to changes', async () => {
    const folder = await openTemporaryFolder();
    const disk = join(folder.path, 'disk');
    await mkdir(disk);
    const hex = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '\\x$&');
    const file = `7<${hex(`${disk}/a.db`)}>`;
    const answer = hex('HTTP/1.1 201 Created\r\nX-Request-ID: change-12-\r\n\r\n');
    const trace = join(folder.path, 'trace');
    await writeFile(
      trace,
      [
        `10 openat(AT_FDCWD<${hex('/')}>, "${hex(`${disk}/a.db`)}", O_RDWR|O_CREAT, 0600) = ${file}`,
        `10 pwrite64(${file}, "${hex('abc')}", 3, 5 <unfinished ...>`,
        `11 writev(9<${hex('socket:[1]')}>, [{iov_base="${answer}", iov_len=1}], 1) = 1`,
        '10 <... pwrite64 resumed>) = 2',
        `10 fsync(${file} <unfinished ...>`,
        `11 ftruncate(${file}, 4) = 0`,
        '10 <... fsync resumed>) = -1 EIO (Input/output error) (INJECTED)',
        `10 pwrite64(${file}, "${hex('z')}", 1, 9 <unfinished ...>) = ?`,
        '11 +++ killed by SIGKILL +++',
        '',
      ].join('\n'),
    );
    const path = `${disk}/a.db`;
    expect(readTrace(trace, disk)).toEqual([
      { kind: 'create', path },
      { kind: 'write', path, offset: 5, data: Buffer.from('ab') },
      { kind: 'acknowledge', change: 12 },
      { kind: 'truncate', path, size: 4 },
      { kind: 'sync', path, failed: true },
      { kind: 'write', path, offset: 9, data: Buffer.from('z') },
    ]);
    await writeFile(trace, `10 fallocate(${file}, 0, 0, 9) = 0\n`);
    expect(() => readTrace(trace, disk)).toThrow('no model of this call');
    await folder.remove();
  });
});
