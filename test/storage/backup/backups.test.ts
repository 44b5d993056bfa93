// Backups of a libSQL file that is in use: whole, and of one moment.

import childProcess, { type ChildProcess } from 'node:child_process';
import { readdir, readFile, readlink, rename, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type FileStorage, openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../../src/core/domain/sample-records.js';
import { Backups } from '../../../src/storage/backup/backups.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, loaded, row, rows } from '../storage-conformance.js';
import { openElsewhere } from './open-elsewhere.js';

let folder: TemporaryFolder;
let storage: FileStorage;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  storage = await openLibsqlStorage({ path: at('service.db') });
});
afterEach(async () => {
  await storage.close().catch(() => {});
  await folder.remove();
});

function at(name: string): string {
  return join(folder.path, name);
}

describe('A backup of the libSQL file', () => {
  it('is one file that only its owner can read, and reports its contents', async () => {
    const samples = await loaded(storage);
    await storage.commit(changes({ puts: rows(500, 1000) }));
    const { records, ...backup } = await storage.backup(at('copy.db'));
    expect(backup).toEqual({
      bytes: (await stat(at('copy.db'))).size,
      recordCount: samples.length + 500,
      auditEventCount: 0,
    });
    const customers = samples.filter(({ collection }) => collection === 'customers').length;
    expect(records).toMatchObject({ customers: customers + 500 });
    expect((await stat(at('copy.db'))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder.path)).sort()).toEqual([
      'copy.db',
      'service.db',
      'service.db-state',
      'service.db-wal',
    ]);
    // The lock is where it was.
    await expect(runSql(at('service.db'), 'select 1 from records')).rejects.toThrow(/locked/);
  });

  it('is a database that a storage opens, with the same rows', async () => {
    await storage.commit(changes({ puts: rows(500, 1000), removals: [1, 2, 3] }));
    await storage.backup(at('copy.db'));
    const copy = await openLibsqlStorage({ path: at('copy.db') });
    expect(await loaded(copy)).toEqual(await loaded(storage));
    await copy.close();
  });

  it('holds every earlier commit, none in part, while commits continue', async () => {
    let last = 1000;
    let done = false;
    const committing = (async () => {
      while (!done) {
        // Three rows that belong together.
        await storage.commit(changes({ puts: rows(3, last) }));
        last += 3;
        // The client gives its memory back only between turns.
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const before: number[] = [];
    for (let i = 0; i < 2; i++) {
      before.push(last);
      await storage.backup(at(`copy-${i}.db`));
    }
    done = true;
    await committing;
    for (const [i, first] of before.entries()) {
      const [found] = await runSql(
        at(`copy-${i}.db`),
        'select count(*) as n, max(position) + 1 as next from records where position >= 1000',
      );
      expect(found?.['next']).toBeGreaterThanOrEqual(first);
      expect(found?.['next']).toBeLessThan(last);
      expect(found).toEqual({ n: Number(found?.['next']) - 1000, next: found?.['next'] });
      expect(Number(found?.['n']) % 3).toBe(0);
    }
    expect(await loaded(storage)).toHaveLength(SAMPLE_COUNT + last - 1000);
  });

  it('does not lengthen the log beside the file', async () => {
    const big = 'x'.repeat(1_000_000);
    const commit = () =>
      storage.commit(changes({ puts: [row(1000, JSON.stringify({ id: 'CUS-1000', big }))] }));
    await storage.backup(at('copy.db'));
    for (let i = 0; i < 20; i++) await commit();
    // A thousand pages and the commit that went over it, not twenty commits.
    expect((await stat(at('service.db-wal'))).size).toBeLessThan(8_000_000);
  });

  it('does not replace an existing file', async () => {
    await writeFile(at('copy.db'), 'mine');
    await expect(storage.backup(at('copy.db'))).rejects.toThrow(
      `the backup ${at('copy.db')} cannot be taken: a file of that name is there; take another name`,
    );
    expect(await readFile(at('copy.db'), 'utf8')).toBe('mine');
  });

  it.each([
    ['missing/copy.db', 'its folder is not there; make it, or mount its disk'],
    ['service.db/copy.db', 'its folder is a file; name a folder'],
  ])('fails at %s, and the storage continues', async (name, reason) => {
    await expect(storage.backup(at(name))).rejects.toThrow(
      `the backup ${at(name)} cannot be taken: ${reason}`,
    );
    expect(await storage.commit(changes({ puts: rows(1, 1000) }))).toEqual({ status: 'committed' });
    expect((await storage.backup(at('copy.db'))).recordCount).toBe(SAMPLE_COUNT + 1);
  });

  it('is taken one at a time', async () => {
    const first = storage.backup(at('first.db'));
    await expect(storage.backup(at('second.db'))).rejects.toThrow('another backup is under way');
    await first;
    await storage.backup(at('second.db'));
    expect((await readdir(folder.path)).sort()).toContain('second.db');
  });

  it('is broken off when the storage closes, and leaves nothing', async () => {
    const backup = storage.backup(at('copy.db'));
    const failure = expect(backup).rejects.toThrow('the database is being closed');
    await storage.close();
    await failure;
    expect(await readdir(folder.path)).toEqual(['service.db', 'service.db-state']);
  });

  it('fails for a closed storage', async () => {
    await storage.close();
    await expect(storage.backup(at('copy.db'))).rejects.toThrow('cannot be taken');
    expect(await readdir(folder.path)).toEqual(['service.db', 'service.db-state']);
  });
});

describe('A backup whose disk hangs', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('delays a close by at most two seconds', async () => {
    let begun = () => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const freeze = () => new Promise<number>(() => begun());
    const backups = new Backups({ path: at('service.db'), freeze, thaw: async () => true });
    void backups.take(at('copy.db'));
    await isBegun;
    let isClosed = false;
    void backups.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isClosed).toBe(true);
  });

  it('leaves its file to its process when the process cannot be ended', async () => {
    const { fork } = childProcess;
    const forking = vi.spyOn(childProcess, 'fork').mockImplementation((...args) => {
      const child: ChildProcess = fork(...args);
      // It neither goes on nor hears a signal, as where it waits for a disk.
      process.kill(child.pid ?? 0, 'SIGSTOP');
      return Object.assign(child, { kill: vi.fn(() => true) });
    });
    syncBuiltinESMExports();
    const file = { path: at('service.db'), freeze: async () => 0, thaw: async () => true };
    const backups = new Backups(file);
    const failure = expect(backups.take(at('copy.db'))).rejects.toThrow('is being closed');
    await vi.waitUntil(() => forking.mock.results.length > 0, 45_000);
    const child: ChildProcess = forking.mock.results[0]?.value;
    try {
      await writeFile(at('copy.db.part'), 'half');
      const closing = backups.close();
      await vi.waitUntil(() => vi.mocked(child.kill).mock.calls.length > 0, 45_000);
      await vi.advanceTimersByTimeAsync(3_000);
      await Promise.all([failure, closing]);
      expect(await readFile(at('copy.db.part'), 'utf8')).toBe('half');
    } finally {
      forking.mockRestore();
      syncBuiltinESMExports();
      const gone = new Promise((resolve) => child.once('exit', resolve));
      process.kill(child.pid ?? 0, 'SIGKILL');
      await gone;
    }
  });
});

describe('A storage that is opened', () => {
  // Only /proc shows the files that this process has open.
  it.runIf(process.platform === 'linux')(
    'refuses a file that was replaced while it waited for it',
    async () => {
      await storage.backup(at('copy.db'));
      const opening = openElsewhere({ path: at('service.db') });
      while ((await openings(at('service.db'))) < 2) await new Promise(setImmediate);
      await rename(at('copy.db'), at('service.db'));
      await storage.close();
      expect(await opening).toContain('it was just replaced; start again');
    },
  );
});

/** How often this process has the file open. */
async function openings(path: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')),
  );
  return targets.filter((target) => target === path).length;
}
