// The storage over a libSQL file: the port's promises, and the state of the file itself while it is
// open.

import { readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { type FileStorage, openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { changes, loaded, row } from '../../../src/storage/conformance/check.js';
import { openLitestreamStub } from '../../support/litestream-stub.js';
import { openFolder, testFolder } from '../../support/test-folder.js';
import { conformanceOf } from '../storage-conformance.js';

const REFUSAL = `create trigger refuse_events before insert on audit_events
  begin select raise(abort, 'injected'); end`;

async function home(isReplicated: boolean) {
  const folder = await openFolder();
  const [path, socketPath] = [join(folder.path, 'service.db'), join(folder.path, 'socket')];
  const stub = isReplicated ? await openLitestreamStub(socketPath, path) : undefined;
  const replication = stub && { socketPath };
  let refuses = false;
  return {
    async open() {
      // A start refuses a file with a trigger; a replicated file can get one later.
      if (refuses) await runSql(path, 'drop trigger if exists refuse_events');
      const options = { path, sampleRows: false, createAnyway: isReplicated, replication };
      const opened = await openLibsqlStorage(options);
      if (refuses) await runSql(path, REFUSAL);
      return opened;
    },
    async refuseEvents() {
      refuses = true;
    },
    async remove() {
      await stub?.close();
      await folder.remove();
    },
  };
}

conformanceOf('libSQL file', () => home(false), { refusesEvents: false });
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

it('An open file lets no other connection read or write it, and cannot be opened again in this process', async () => {
  const other = folder.at('other-name.db');
  await symlink(path, other);
  await expect(openLibsqlStorage({ path: other })).rejects.toThrow(
    `the database file ${other} cannot be used: another process holds it (waited 5 s), this one has it open, or its disk is a share without locks; stop the other process, or use a local disk`,
  );
  // The refused opening has not released the lock.
  for (const sql of ['select count(*) from records', 'delete from records']) {
    await expect(runSql(path, sql)).rejects.toThrow(/locked/);
  }
  expect(await storage.commit(changes({ puts: [row(1)] }))).toEqual(committed);
  expect(await loaded(storage)).toEqual([row(1)]);
});

it('A storage thread that dies leaves a commit in progress, and every later one, unknown', async () => {
  // Not a valid request, so the thread fails as it would on a defect.
  threads[0]?.postMessage(null);
  for (const position of [1, 2]) {
    const result = await storage.commit(changes({ puts: [row(position)] }));
    expect(result).toEqual({ status: 'unknown', error: expect.any(Error) });
  }
  await expect(storage.ping()).rejects.toThrow();
  await expect(loaded(storage)).rejects.toThrow();
});
