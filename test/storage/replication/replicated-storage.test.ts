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

  it('is of one service at a time: a second one on the file, with a replica or without, is refused', async () => {
    const refuses = async (REPLICATION: string) => {
      const other = spawnServer({ DATABASE_URL: `file:${path}`, REPLICATION });
      expect(await other.exited).toBe(1);
      expect(other.output()).toContain('another process holds it (waited 5 s)');
    };
    const replicated = `async:${socketPath}`;
    const storage = await open();
    await Promise.all([refuses(replicated), refuses('off')]);
    expect(await storage.commit(changes({ puts: rows(1, 100) }))).toEqual({ status: 'committed' });
    await opened.pop()?.close();
    await open(false);
    await refuses(replicated);
  });

  it('commits without Litestream, reports it, and refuses a backup, which would write the log back', async () => {
    const storage = await open();
    await stub.close();
    expect(await storage.commit(changes({ puts: rows(1, 100) }))).toEqual({ status: 'committed' });
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: false }));
    expect(reports.at(-1)?.behindSince).toBeGreaterThan(Date.now() - 60_000);
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
