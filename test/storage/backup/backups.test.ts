// Backups of a libSQL file that is in use: whole, consistent, and without what was deleted.

import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type FileStorage, openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { SAMPLE_RECORDS } from '../../../src/core/domain/sample-records.js';
import { changes, loaded, row, rows } from '../../../src/storage/conformance/check.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const { at } = folder;
let storage: FileStorage;

beforeEach(async () => {
  storage = await openLibsqlStorage({ path: at('service.db') });
});
afterEach(() => storage.close().catch(() => {}));

describe('A backup of the libSQL file', () => {
  it('is one file that only its owner can read, with the same rows, and reports its contents', async () => {
    await storage.commit(changes({ puts: rows(500, 1000), removals: [1, 2, 3] }));
    const samples = await loaded(storage);
    const backup = await storage.backup(at('copy.db'));
    const { size, mode } = await stat(at('copy.db'));
    expect([backup, mode & 0o777]).toEqual([
      { bytes: size, recordCount: samples.length, auditEventCount: 0 },
      0o600,
    ]);
    const names = ['copy.db', 'service.db', 'service.db-open', 'service.db-wal'];
    expect((await readdir(folder.path)).sort()).toEqual(names);
    // The lock is still held.
    await expect(runSql(at('service.db'), 'select 1 from records')).rejects.toThrow(/locked/);
    const copy = await openLibsqlStorage({ path: at('copy.db') });
    expect(await loaded(copy)).toEqual(samples);
    await copy.close();
  });

  it('has every earlier commit, and none in part, while commits continue', async () => {
    let last = 1000;
    let done = false;
    const committing = (async () => {
      while (!done) {
        // Three rows that belong together.
        await storage.commit(changes({ puts: rows(3, last) }));
        last += 3;
        // The client releases its memory only between turns.
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const first = last;
    await storage.backup(at('copy.db'));
    done = true;
    await committing;
    const [found] = await runSql(
      at('copy.db'),
      'select count(*) as n, max(position) + 1 as next from records where position >= 1000',
    );
    expect(found?.['next']).toBeGreaterThanOrEqual(first);
    expect(found?.['next']).toBeLessThan(last);
    expect(found?.['n']).toBe(Number(found?.['next']) - 1000);
    expect(Number(found?.['n']) % 3).toBe(0);
    expect(await loaded(storage)).toHaveLength(SAMPLE_RECORDS.length + last - 1000);
  });

  it('does not make the file’s log grow', async () => {
    const big = 'x'.repeat(1_000_000);
    await storage.backup(at('copy.db'));
    for (let i = 0; i < 20; i++) {
      const body = JSON.stringify({ id: 'CUS-1000', big });
      await storage.commit(changes({ puts: [row(1000, body)] }));
    }
    // A thousand pages and the commit that exceeded them, not twenty commits.
    expect((await stat(at('service.db-wal'))).size).toBeLessThan(8_000_000);
  });

  it('contains no deleted or replaced records, like the file itself', async () => {
    /** Every fourth one is larger than a page. */
    const marked = (position: number, mark: string) =>
      row(position, JSON.stringify({ note: `${mark}-`.repeat(position % 4 === 0 ? 800 : 20) }));
    const marksIn = async (name: string) =>
      (await readFile(at(name), 'latin1')).match(/canary|replaced/g) ?? [];
    const positions = Array.from({ length: 400 }, (_, i) => 1000 + i);
    for (const position of positions)
      await storage.commit(changes({ puts: [marked(position, 'canary')] }));
    expect(await marksIn('service.db')).not.toEqual([]);
    const odd = positions.filter((position) => position % 2);
    for (const position of odd)
      await storage.commit(changes({ puts: [marked(position, 'replaced')] }));
    for (const position of positions) await storage.commit(changes({ removals: [position] }));
    await storage.backup(at('copy.db'));
    for (const name of ['service.db', 'service.db-wal', 'copy.db'])
      expect([name, await marksIn(name)]).toEqual([name, []]);
  });

  it.each([
    ['missing/copy.db', 'no such file or folder; check the path, or mount its disk'],
    ['mine.db', 'a file of that name exists; choose another name'],
  ])('fails at %s, and the storage continues, with the next backup', async (name, reason) => {
    await writeFile(at('mine.db'), 'mine');
    const failure = expect(storage.backup(at(name))).rejects.toThrow(
      `could not take the backup ${at(name)}: ${reason}`,
    );
    // Backups run one at a time: it waits for the first.
    const next = storage.backup(at('copy.db'));
    await failure;
    expect((await next).recordCount).toBe(SAMPLE_RECORDS.length);
    expect(await readFile(at('mine.db'), 'utf8')).toBe('mine');
    expect(await storage.commit(changes({ puts: rows(1, 1000) }))).toEqual({ status: 'committed' });
  });
});
