// The storage over a libSQL file: the port's promises, and what is true of the
// file itself while it is held.

import fs, { copyFile, readdir, readFile, stat, symlink, utimes } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../../src/core/domain/sample-records.js';
import type { RecordStorage } from '../../../src/core/records/record-storage.js';
import { SCHEMA_VERSION } from '../../../src/storage/file/file-schema.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { hasTriggers, plantedLibsql, plantTriggers } from '../../trials/planted-triggers.js';
import { changes, conformanceOf, loaded, row, rows } from '../storage-conformance.js';
import { viewsConformanceOf } from '../views-conformance.js';

async function emptyHome() {
  const folder = await openTemporaryFolder();
  const path = join(folder.path, 'service.db');
  return {
    path,
    open: () => openLibsqlStorage({ path, sampleRows: false }),
    remove: () => folder.remove(),
  };
}

viewsConformanceOf('libSQL file', emptyHome);
conformanceOf('libSQL file', async () => {
  const { path, ...home } = await emptyHome();
  return {
    ...home,
    open: async () => {
      const planted = hasTriggers(path) ? await plantedLibsql() : undefined;
      return (planted?.openLibsqlStorage ?? openLibsqlStorage)({ path, sampleRows: false });
    },
    refuseEvents: async () => {
      plantTriggers(
        path,
        `create trigger refuse_events before insert on audit_events
           begin select raise(abort, 'injected'); end`,
      );
    },
  };
});

describe('The libSQL file', () => {
  let folder: TemporaryFolder;
  let storage: RecordStorage;
  let path: string;

  beforeEach(async () => {
    folder = await openTemporaryFolder();
    path = join(folder.path, 'service.db');
    storage = await openLibsqlStorage({ path });
  });
  afterEach(async () => {
    await storage.close().catch(() => {});
    await folder.remove();
  });

  it('is in WAL mode without shared memory while open, and one file once closed', async () => {
    await storage.commit(changes({ puts: [row(1000)] }));
    expect((await readdir(folder.path)).sort()).toEqual([
      'service.db',
      'service.db-state',
      'service.db-wal',
    ]);
    // Bytes 18 and 19 of a database file: 2 and 2 are WAL.
    expect([...(await readFile(path)).subarray(18, 20)]).toEqual([2, 2]);
    await storage.close();
    expect(await readdir(folder.path)).toEqual(['service.db', 'service.db-state']);
  });

  it('lets no other connection read or write it while open', async () => {
    const sql = ['select count(*) from records', 'delete from records'];
    for (const statement of sql) await expect(runSql(path, statement)).rejects.toThrow(/locked/);
    expect(await storage.commit(changes({ puts: [row(1000)] }))).toEqual({ status: 'committed' });
  });

  it('refuses a second opening in this process at once, and the first continues', async () => {
    const before = await loaded(storage);
    const other = join(folder.path, 'other-name.db');
    await symlink(path, other);
    for (const name of [path, other]) {
      await expect(openLibsqlStorage({ path: name })).rejects.toThrow(
        `the database file ${name} cannot be used: this process has it open already; open it once and share the storage, also where a module is loaded twice (keep it on globalThis)`,
      );
    }
    expect(await storage.commit(changes({ puts: [row(1000)] }))).toEqual({ status: 'committed' });
    expect(await loaded(storage)).toEqual([...before, row(1000)]);
    // The refused opening has not taken the lock away with it.
    await expect(runSql(path, 'select count(*) from records')).rejects.toThrow(/locked/);
  });

  it('is free for the next opening as soon as close resolves', async () => {
    for (let round = 0; round < 5; round++) {
      await storage.commit(changes({ puts: [row(1000 + round)] }));
      await storage.close();
      storage = await openLibsqlStorage({ path });
    }
    await storage.close();
    const [counted] = await runSql(
      path,
      "select count(*) as n from records where id like 'CUS-1%'",
    );
    expect(counted).toEqual({ n: 5 });
  });

  it('marks its file as its own and passes a full integrity check', async () => {
    await storage.commit(changes({ puts: rows(2_000, 1000) }));
    await storage.commit(changes({ removals: rows(500, 1200).map(({ position }) => position) }));
    await storage.close();
    expect(await runSql(path, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await runSql(path, 'pragma application_id')).toEqual([{ application_id: 0x5376634d }]);
    expect(await runSql(path, 'pragma user_version')).toEqual([{ user_version: SCHEMA_VERSION }]);
  });

  it('has the log of a killed process written again at the start, byte for byte', async () => {
    await storage.commit(changes({ puts: [row(1000)] }));
    const killed = join(folder.path, 'killed.db');
    // A copy while the file is open is all that a kill leaves.
    await copyFile(path, killed);
    await copyFile(`${path}-wal`, `${killed}-wal`);
    const log = await readFile(`${killed}-wal`);
    await utimes(`${killed}-wal`, 1, 1);
    const next = await openLibsqlStorage({ path: killed });
    try {
      expect((await stat(`${killed}-wal`)).mtimeMs).toBeGreaterThan(1_000);
      expect((await readFile(`${killed}-wal`)).equals(log)).toBe(true);
      expect((await loaded(next)).map(({ position }) => position)).toContain(1000);
    } finally {
      await next.close();
    }
  });

  it('heals after refused commits: later ones are on disk', async () => {
    for (let round = 0; round < 3; round++) {
      const duplicate = { ...row(2000 + round), id: 'CUS-0001' };
      expect((await storage.commit(changes({ puts: [duplicate] }))).status).toBe('notStored');
      const good = changes({ puts: [row(1000 + round)] });
      expect(await storage.commit(good)).toEqual({ status: 'committed' });
    }
    expect((await readdir(folder.path)).sort()).toEqual([
      'service.db',
      'service.db-state',
      'service.db-wal',
    ]);
    await expect(runSql(path, 'select count(*) from records')).rejects.toThrow(/locked/);
    await storage.close();
    const [counted] = await runSql(
      path,
      'select count(*) as n from records where position >= 1000',
    );
    expect(counted).toEqual({ n: 3 });
  });
});

describe('A folder that is made for the file', () => {
  it('may have any characters in its path', async () => {
    const folder = await openTemporaryFolder();
    const path = join(folder.path, 'new', 'a b%41?x=1#y;z', 'ü🧵', "it's.db");
    for (const round of [0, 1]) {
      const storage = await openLibsqlStorage({ path });
      await storage.commit(changes({ puts: rows(1, 1000 + round) }));
      expect(await loaded(storage)).toHaveLength(SAMPLE_COUNT + round + 1);
      await storage.close();
    }
    expect(await readdir(dirname(path))).toEqual(["it's.db", "it's.db-state"]);
    await folder.remove();
  });

  it('is synced before the file is used, and so is each folder around it', async () => {
    const folder = await openTemporaryFolder();
    const { open } = fs;
    const synced: string[] = [];
    // Only a power cut tells a synced folder from another.
    const opening = vi.spyOn(fs, 'open').mockImplementation(async (path, ...rest) => {
      const handle = await open(path, ...rest);
      const sync = handle.sync.bind(handle);
      handle.sync = () => sync().then(() => void synced.push(String(path)));
      return handle;
    });
    syncBuiltinESMExports();
    try {
      const options = { path: join(folder.path, 'new', 'deep', 'service.db') };
      await (await openLibsqlStorage(options)).close();
      expect(synced).toEqual([join(folder.path, 'new'), folder.path]);
      await (await openLibsqlStorage(options)).close();
      expect(synced).toHaveLength(2);
    } finally {
      opening.mockRestore();
      syncBuiltinESMExports();
      await folder.remove();
    }
  });
});

describe('The storage thread', () => {
  it('that dies leaves a commit under way, and every later one, unknown', async () => {
    const folder = await openTemporaryFolder();
    const threads: Worker[] = [];
    const remember = (worker: Worker) => void threads.push(worker);
    process.on('worker', remember);
    const storage = await openLibsqlStorage({ path: join(folder.path, 'service.db') });
    process.off('worker', remember);
    // No request of ours: the thread fails on it as it would on a defect of its own.
    threads[0]?.postMessage(null);
    const commit = storage.commit(changes({ puts: [row(1000)] }));
    expect(await commit).toEqual({ status: 'unknown', error: expect.any(Error) });
    expect(await storage.commit(changes({ puts: [row(1001)] }))).toMatchObject({
      status: 'unknown',
    });
    await expect(storage.ping()).rejects.toThrow();
    await expect(loaded(storage)).rejects.toThrow();
    await folder.remove();
  });
});
