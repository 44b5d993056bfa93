// A storage with a replica, and Litestream as it may behave: commits are acknowledged
// when the replica has them, refused while it cannot be reached, and never made by two services.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { openLibsqlStorage, type ReplicaReport } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabase } from '../../support/empty-database.js';
import { eventually } from '../../support/eventually.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { spawnServer } from '../../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { hasTriggers, plantedLibsql, plantTriggers } from '../../trials/planted-triggers.js';
import { changes, conformanceOf, loaded, rows } from '../storage-conformance.js';

const copyEmptyTo = emptyDatabase();

conformanceOf('a libSQL file with a replica', async () => {
  const folder = await openTemporaryFolder();
  const path = join(folder.path, 'service.db');
  const socketPath = join(folder.path, 'socket');
  await copyEmptyTo(path);
  const stub = await openLitestreamStub(socketPath, path);
  return {
    async open() {
      const planted = hasTriggers(path) ? await plantedLibsql() : undefined;
      const open = planted?.openLibsqlStorage ?? openLibsqlStorage;
      const storage = await open({ path, replication: { mode: 'sync', socketPath } });
      await storage.replicaReached(5_000);
      return storage;
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

  async function open(mode?: 'async' | 'sync') {
    const onReport = (report: ReplicaReport) => void reports.push(report);
    const replication = mode && { mode, socketPath, onReport };
    const storage = await openLibsqlStorage({ path, replication, createAnyway: true });
    opened.push(storage);
    await storage.replicaReached(5_000);
    return storage;
  }

  it('sync: asks for a sync after every commit, and answers after it', async () => {
    const storage = await open('sync');
    const before = stub.syncs.length;
    let release = () => {};
    stub.says.held = new Promise((resolve) => {
      release = resolve;
    });
    let isAnswered = false;
    const committing = storage.commit(changes({ puts: rows(1, 100) })).finally(() => {
      isAnswered = true;
    });
    await eventually(async () => expect(stub.syncs.length).toBe(before + 1));
    expect(stub.syncs.at(-1)).toMatchObject({ wait: true });
    // Reads go on while the commit waits.
    await storage.ping();
    expect(isAnswered).toBe(false);
    release();
    expect(await committing).toEqual({ status: 'committed' });
  });

  it('sync: a commit that the replica does not confirm is kept, the next one is refused and stores nothing', async () => {
    const storage = await open('sync');
    const before = (await loaded(storage)).length;
    stub.says.refusal = 'upload failed at sftp://user:secret@host/path';
    const syncs = stub.syncs.length;
    const committing = storage.commit(changes({ puts: rows(1, 100) }));
    // It refuses twice and then says nothing more: its last words are the reason.
    await eventually(async () => expect(stub.syncs.length).toBeGreaterThan(syncs + 1));
    let release = () => {};
    stub.says.held = new Promise((resolve) => {
      release = resolve;
    });
    const kept = await committing;
    expect(kept).toMatchObject({ status: 'notReplicated' });
    expect(String('error' in kept && kept.error)).toContain('sftp://(hidden)@host');
    expect(storage.refusal).toContain('upload failed');
    expect(await storage.commit(changes({ puts: rows(1, 101) }))).toMatchObject({
      status: 'rejected',
    });
    expect((await loaded(storage)).length).toBe(before + 1);
    stub.says.refusal = undefined;
    release();
    await storage.replicaReached(5_000);
    await eventually(async () => expect(storage.refusal).toBeUndefined());
    expect(await storage.commit(changes({ puts: rows(1, 101) }))).toEqual({ status: 'committed' });
  });

  it('sync: a Litestream that is restarted within seconds fails no commit', async () => {
    const storage = await open('sync');
    await stub.close();
    const committing = storage.commit(changes({ puts: rows(1, 100) }));
    await eventually(async () => expect(reports.some(({ hasFailed }) => hasFailed)).toBe(true));
    stub = await openLitestreamStub(socketPath, path);
    stub.says.startedAt = '2026-11-22T05:00:00Z';
    expect(await committing).toEqual({ status: 'committed' });
  });

  it('sync: a Litestream that follows another file of this name confirms nothing', async () => {
    const storage = await open('sync');
    stub.says.advances = false;
    expect(await storage.commit(changes({ puts: rows(1, 100) }))).toMatchObject({
      status: 'notReplicated',
      error: new Error(
        "Litestream's number of changes stays at 3 after a commit: it follows another file",
      ),
    });
  });

  it('sync: Litestream that ends while nothing is written is noticed before the next write', async () => {
    const storage = await open('sync');
    await stub.close();
    await eventually(async () => expect(storage.refusal).toContain('does not answer'));
    expect(await storage.commit(changes({ puts: rows(1, 100) }))).toMatchObject({
      status: 'rejected',
    });
    stub = await openLitestreamStub(socketPath, path);
  });

  it('async: commits without Litestream, and says since when the replica is behind', async () => {
    const storage = await open('async');
    await stub.close();
    expect(await storage.commit(changes({ puts: rows(1, 100) }))).toEqual({ status: 'committed' });
    expect(storage.refusal).toBeUndefined();
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: false }));
    expect(reports.at(-1)?.behindSince).toBeGreaterThan(Date.now() - 60_000);
    stub = await openLitestreamStub(socketPath, path);
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: true }));
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeUndefined());
  });

  it('async: reports the replica as behind while it lacks a change', async () => {
    stub.says.lacks = 1_000;
    const storage = await open('async');
    await storage.commit(changes({ puts: rows(1, 100) }));
    const before = stub.syncs.length;
    await eventually(async () => expect(stub.syncs.length).toBeGreaterThan(before + 1));
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeDefined());
    expect(stub.syncs.at(-1)).toMatchObject({ wait: false });
    stub.says.lacks = 0;
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeUndefined());
  });

  it.each([
    ['sync', 'sync'],
    ['async', undefined],
    [undefined, 'sync'],
  ] as const)(
    '%s: a second service (%s) on the file is refused, the first continues',
    async (first, second) => {
      const storage = await open(first);
      const other = spawnServer({
        DATABASE_URL: `file:${path}`,
        REPLICATION: second ?? 'off',
        LITESTREAM_SOCKET: socketPath,
      });
      expect(await other.exited).toBe(1);
      expect(other.output()).toContain('another process holds it (waited 5 s)');
      expect(await storage.commit(changes({ puts: rows(1, 100) }))).toEqual({
        status: 'committed',
      });
    },
    20_000,
  );

  it('refuses a backup, because it would write the log back', async () => {
    const storage = await open('async');
    await expect(storage.backup(join(folder.path, 'backup.db'))).rejects.toThrow(
      "Litestream's snapshots take its place",
    );
  });

  it('a write lock that another program holds for longer than the busy time-out fails one commit, and no later one', async () => {
    const storage = await open('async');
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
