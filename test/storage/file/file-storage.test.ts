// The storage over a libSQL file: the port's promises, and what is true of the file itself while it
// is held.

import { existsSync, rmSync } from 'node:fs';
import fs, {
  copyFile,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { type FileStorage, openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { LibsqlFile } from '../../../src/storage/file/database-file.js';
import { EXCLUSIVE } from '../../../src/storage/file/file-sharing.js';
import { openLitestreamStub } from '../../support/litestream-stub.js';
import { openTemporaryFolder } from '../../support/temporary-folder.js';
import { testFolder } from '../../support/test-folder.js';
import { hasTriggers, plantedLibsql, plantTriggers } from '../../trials/planted-triggers.js';
import { changes, conformanceOf, loaded, row } from '../storage-conformance.js';

async function home(isReplicated: boolean) {
  const folder = await openTemporaryFolder();
  const [path, socketPath] = [join(folder.path, 'service.db'), join(folder.path, 'socket')];
  const stub = isReplicated ? await openLitestreamStub(socketPath, path) : undefined;
  const options = { path, sampleRows: false, createAnyway: isReplicated };
  return {
    async open() {
      const planted = hasTriggers(path) ? await plantedLibsql() : undefined;
      const open = planted?.openLibsqlStorage ?? openLibsqlStorage;
      return open({ ...options, replication: stub && { socketPath } });
    },
    async refuseEvents() {
      plantTriggers(
        path,
        `create trigger refuse_events before insert on audit_events
           begin select raise(abort, 'injected'); end`,
      );
    },
    async remove() {
      await stub?.close();
      await folder.remove();
    },
  };
}

conformanceOf('libSQL file', () => home(false));
conformanceOf('libSQL file with a replica', () => home(true));

const folder = testFolder();
let path: string;
let threads: Worker[];
let storage: FileStorage;

beforeEach(async () => {
  path = join(folder.path, 'new', 'a b%41?x=1#y;z', "ü🧵 it's.db");
  threads = [];
  const remember = (worker: Worker) => void threads.push(worker);
  process.on('worker', remember);
  storage = await openLibsqlStorage({ path, sampleRows: false });
  process.off('worker', remember);
});
afterEach(() => storage.close().catch(() => {}));

const committed = { status: 'committed' };
const filesBeside = async () => (await readdir(dirname(path))).sort();

it('A file is in WAL mode without shared memory while open, and one file once closed', async () => {
  const name = "ü🧵 it's.db";
  expect(await storage.commit(changes({ puts: [row(1)] }))).toEqual(committed);
  expect(await filesBeside()).toEqual([name, `${name}-open`, `${name}-wal`]);
  // Bytes 18 and 19 of a database file: 2 and 2 are WAL.
  expect([...(await readFile(path)).subarray(18, 20)]).toEqual([2, 2]);
  await storage.close();
  expect(await filesBeside()).toEqual([name]);
});

it('An open file lets no other connection read or write it, nor opens again in this process', async () => {
  const other = folder.at('other-name.db');
  await symlink(path, other);
  await expect(openLibsqlStorage({ path: other })).rejects.toThrow(
    `the database file ${other} cannot be used: another process holds it (waited 5 s), or this one has it open; stop the other process, or share the storage`,
  );
  // The refused opening has not taken the lock away with it.
  for (const sql of ['select count(*) from records', 'delete from records']) {
    await expect(runSql(path, sql)).rejects.toThrow(/locked/);
  }
  expect(await storage.commit(changes({ puts: [row(1)] }))).toEqual(committed);
  expect(await loaded(storage)).toEqual([row(1)]);
});

it('The log of a killed process is written again at the start, byte for byte', async () => {
  await storage.commit(changes({ puts: [row(1)] }));
  const killed = folder.at('killed.db');
  // A copy while the file is open is all that a kill leaves.
  await copyFile(path, killed);
  await copyFile(`${path}-wal`, `${killed}-wal`);
  const log = await readFile(`${killed}-wal`);
  await utimes(`${killed}-wal`, 1, 1);
  const next = await openLibsqlStorage({ path: killed });
  onTestFinished(() => next.close());
  expect((await stat(`${killed}-wal`)).mtimeMs).toBeGreaterThan(1_000);
  expect((await readFile(`${killed}-wal`)).equals(log)).toBe(true);
  expect(await loaded(next)).toEqual([row(1)]);
});

it('A folder that is made for the file is synced before it is used, and each folder around it', async () => {
  const { open } = fs;
  const synced: string[] = [];
  // Only a power cut tells a synced folder from another.
  const opening = vi.spyOn(fs, 'open').mockImplementation(async (name, ...rest) => {
    const handle = await open(name, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = () => sync().then(() => void synced.push(String(name)));
    return handle;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    opening.mockRestore();
    syncBuiltinESMExports();
  });
  const options = { path: folder.at('newer/deep/service.db') };
  for (let times = 0; times < 2; times++) await (await openLibsqlStorage(options)).close();
  expect(synced).toEqual([folder.at('newer'), folder.path]);
});

it('A file that could not be made leaves no marker, so the next start makes it', async () => {
  const unmade = folder.at('unmade.db');
  await writeFile(unmade, '');
  // No row: its making fails as on a disk that fails.
  const options = { path: unmade, initialRows: '[[1]]', now: 1, acceptsMissingLog: false };
  expect(() => new LibsqlFile(options, EXCLUSIVE)).toThrow('SQLITE_CONSTRAINT');
  expect(await readdir(folder.path)).not.toContain('unmade.db-open');
});

it('A file that another process closed as this one waited for it was not killed, and is marked at the next write', async () => {
  await storage.close();
  const marker = `${path}-open`;
  await writeFile(marker, '');
  await writeFile(`${path}-wal`, '');
  const options = { path, initialRows: '[]', now: 1, acceptsMissingLog: false };
  // Asked for as the file is opened: the other process closes it then.
  const lockingMode = vi
    .fn(() => EXCLUSIVE.lockingMode)
    .mockImplementationOnce(() => {
      rmSync(marker);
      return EXCLUSIVE.lockingMode;
    });
  const file = new LibsqlFile(options, {
    ...EXCLUSIVE,
    get lockingMode() {
      return lockingMode();
    },
  });
  expect(file.wasKilled).toBe(false);
  file.touch();
  expect(existsSync(marker)).toBe(true);
  file.close();
});

it('A storage thread that dies leaves a commit under way, and every later one, unknown', async () => {
  // No request of ours: the thread fails on it as it would on a defect of its own.
  threads[0]?.postMessage(null);
  for (const position of [1, 2]) {
    const result = await storage.commit(changes({ puts: [row(position)] }));
    expect(result).toEqual({ status: 'unknown', error: expect.any(Error) });
  }
  await expect(storage.ping()).rejects.toThrow();
  await expect(loaded(storage)).rejects.toThrow();
});
