// A storage with a replica, and Litestream as it may behave: commits never wait for it for long,
// and are never made by two services.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { openLibsqlStorage, type ReplicaReport } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { spawnServer } from '../../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { hasTriggers, plantedLibsql, plantTriggers } from '../../trials/planted-triggers.js';
import { changes, conformanceOf, loaded, rows } from '../storage-conformance.js';

conformanceOf('a libSQL file with a replica', async () => {
  const folder = await openTemporaryFolder();
  const path = join(folder.path, 'service.db');
  const socketPath = join(folder.path, 'socket');
  const stub = await openLitestreamStub(socketPath, path);
  return {
    async open() {
      const planted = hasTriggers(path) ? await plantedLibsql() : undefined;
      const open = planted?.openLibsqlStorage ?? openLibsqlStorage;
      return open({ path, replication: { socketPath }, createAnyway: true, sampleRows: false });
    },
    async refuseEvents() {
      plantTriggers(
        path,
        `create trigger refuse_events before insert on audit_events
             begin select raise(abort, 'injected'); end`,
      );
    },
    async remove() {
      await stub.close();
      await folder.remove();
    },
  };
});

describe('A storage with a replica', () => {
  let folder: TemporaryFolder;
  let path: string;
  let socketPath: string;
  let stub: LitestreamStub;
  let reports: ReplicaReport[];
  let opened: { close(): Promise<void> }[];

  beforeEach(async () => {
    folder = await openTemporaryFolder();
    path = join(folder.path, 'service.db');
    socketPath = join(folder.path, 'socket');
    stub = await openLitestreamStub(socketPath, path);
    reports = [];
    opened = [];
  });
  afterEach(async () => {
    for (const storage of opened) await storage.close();
    await stub.close();
    await folder.remove();
  });

  async function open(isReplicated = true) {
    const onReport = (report: ReplicaReport) => void reports.push(report);
    const replication = isReplicated ? { socketPath, onReport } : undefined;
    const storage = await openLibsqlStorage({ path, replication, createAnyway: true });
    opened.push(storage);
    return storage;
  }

  it('commits without Litestream, and says since when the replica is behind', async () => {
    const storage = await open();
    await stub.close();
    expect(await storage.commit(changes({ puts: rows(1, 100) }))).toEqual({ status: 'committed' });
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: false }));
    expect(reports.at(-1)?.behindSince).toBeGreaterThan(Date.now() - 60_000);
    stub = await openLitestreamStub(socketPath, path);
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: true }));
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeUndefined());
  });

  it('reports the replica as behind while it lacks a change', async () => {
    stub.says.lacks = 1_000;
    const storage = await open();
    await storage.commit(changes({ puts: rows(1, 100) }));
    const before = stub.syncs.length;
    await eventually(async () => expect(stub.syncs.length).toBeGreaterThan(before + 1));
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeDefined());
    expect(stub.syncs.at(-1)).toMatchObject({ wait: false });
    stub.says.lacks = 0;
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeUndefined());
  });

  it.each([
    ['async', 'async'],
    ['async', 'off'],
    ['off', 'async'],
  ])(
    '%s: a second service (%s) on the file is refused, the first continues',
    async (first, second) => {
      const storage = await open(first === 'async');
      const other = spawnServer({
        DATABASE_URL: `file:${path}`,
        REPLICATION: second === 'async' ? `async:${socketPath}` : second,
      });
      expect(await other.exited).toBe(1);
      expect(other.output()).toContain('another process holds it (waited 5 s)');
      expect(await storage.commit(changes({ puts: rows(1, 100) }))).toEqual({
        status: 'committed',
      });
    },
  );

  it('refuses a backup, because it would write the log back', async () => {
    const storage = await open();
    await expect(storage.backup(join(folder.path, 'backup.db'))).rejects.toThrow(
      "Litestream's snapshots take its place",
    );
  });

  it('a write lock that another program holds for longer than the busy time-out fails one commit, and no later one', async () => {
    const storage = await open();
    const holder = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
    const held = await holder.transaction('write');
    try {
      expect(await storage.commit(changes({ puts: rows(1, 100) }))).toMatchObject({
        status: 'notStored',
      });
    } finally {
      held.close();
      holder.close();
    }
    expect(await storage.commit(changes({ puts: rows(1, 101) }))).toEqual({ status: 'committed' });
    const ids = (await loaded(storage)).map(({ position }) => position);
    expect([ids.includes(100), ids.includes(101)]).toEqual([false, true]);
  });
});
