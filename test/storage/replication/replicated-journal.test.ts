// A journal with a replica, and Litestream as it may behave: commits are acknowledged
// when the replica has them, refused while it cannot be reached, and never made by two services.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { openLibsqlJournal, type ReplicaReport } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabase } from '../../support/empty-database.js';
import { eventually } from '../../support/eventually.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { spawnServer } from '../../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { hasTriggers, plantedLibsql, plantTriggers } from '../../trials/planted-triggers.js';
import { changes, conformanceOf, loaded, rows } from '../journal-conformance.js';

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
      const open = planted?.openLibsqlJournal ?? openLibsqlJournal;
      const journal = await open({ path, replication: { mode: 'sync', socketPath } });
      await journal.replicaReached(5_000);
      return journal;
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

describe('A journal with a replica', () => {
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
    for (const journal of opened) await journal.close();
    await stub.close();
    await folder.remove();
  });

  async function open(mode?: 'async' | 'sync') {
    const onReport = (report: ReplicaReport) => void reports.push(report);
    const replication = mode && { mode, socketPath, onReport };
    const journal = await openLibsqlJournal({ path, replication, createAnyway: true });
    opened.push(journal);
    await journal.replicaReached(5_000);
    return journal;
  }

  it('sync: asks for a sync after every commit, and answers after it', async () => {
    const journal = await open('sync');
    const before = stub.syncs.length;
    let release = () => {};
    stub.says.held = new Promise((resolve) => {
      release = resolve;
    });
    let isAnswered = false;
    const committing = journal.commit(changes({ puts: rows(1, 100) })).finally(() => {
      isAnswered = true;
    });
    await eventually(async () => expect(stub.syncs.length).toBe(before + 1));
    expect(stub.syncs.at(-1)).toMatchObject({ wait: true });
    // Reads go on while the commit waits.
    await journal.ping();
    expect(isAnswered).toBe(false);
    release();
    expect(await committing).toEqual({ status: 'committed' });
  });

  it('sync: a commit that the replica does not confirm is kept, the next one is refused and stores nothing', async () => {
    const journal = await open('sync');
    const before = (await loaded(journal)).length;
    stub.says.refusal = 'upload failed at sftp://user:secret@host/path';
    const syncs = stub.syncs.length;
    const committing = journal.commit(changes({ puts: rows(1, 100) }));
    // It refuses twice and then says nothing more: its last words are the reason.
    await eventually(async () => expect(stub.syncs.length).toBeGreaterThan(syncs + 1));
    let release = () => {};
    stub.says.held = new Promise((resolve) => {
      release = resolve;
    });
    const kept = await committing;
    expect(kept).toMatchObject({ status: 'kept' });
    expect(String('error' in kept && kept.error)).toContain('sftp://(hidden)@host');
    expect(journal.refusal).toContain('upload failed');
    expect(await journal.commit(changes({ puts: rows(1, 101) }))).toMatchObject({
      status: 'refused',
    });
    expect((await loaded(journal)).length).toBe(before + 1);
    stub.says.refusal = undefined;
    release();
    await journal.replicaReached(5_000);
    await eventually(async () => expect(journal.refusal).toBeUndefined());
    expect(await journal.commit(changes({ puts: rows(1, 101) }))).toEqual({ status: 'committed' });
  });

  it('sync: a Litestream that is restarted within seconds fails no commit', async () => {
    const journal = await open('sync');
    await stub.close();
    const committing = journal.commit(changes({ puts: rows(1, 100) }));
    await eventually(async () => expect(reports.some(({ hasFailed }) => hasFailed)).toBe(true));
    stub = await openLitestreamStub(socketPath, path);
    stub.says.startedAt = '2026-11-22T05:00:00Z';
    expect(await committing).toEqual({ status: 'committed' });
  });

  it('sync: a Litestream that follows another file of this name confirms nothing', async () => {
    const journal = await open('sync');
    stub.says.advances = false;
    expect(await journal.commit(changes({ puts: rows(1, 100) }))).toMatchObject({
      status: 'kept',
      error: new Error(
        "Litestream's number of changes stays at 3 after a commit: it follows another file",
      ),
    });
  });

  it('sync: Litestream that ends while nothing is written is noticed before the next write', async () => {
    const journal = await open('sync');
    await stub.close();
    await eventually(async () => expect(journal.refusal).toContain('does not answer'));
    expect(await journal.commit(changes({ puts: rows(1, 100) }))).toMatchObject({
      status: 'refused',
    });
    stub = await openLitestreamStub(socketPath, path);
  });

  it('async: commits without Litestream, and says since when the replica is behind', async () => {
    const journal = await open('async');
    await stub.close();
    expect(await journal.commit(changes({ puts: rows(1, 100) }))).toEqual({ status: 'committed' });
    expect(journal.refusal).toBeUndefined();
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: false }));
    expect(reports.at(-1)?.behindSince).toBeGreaterThan(Date.now() - 60_000);
    stub = await openLitestreamStub(socketPath, path);
    await eventually(async () => expect(reports.at(-1)).toMatchObject({ isReached: true }));
    await eventually(async () => expect(reports.at(-1)?.behindSince).toBeUndefined());
  });

  it('async: reports the replica as behind while it lacks a change', async () => {
    stub.says.lacks = 1_000;
    const journal = await open('async');
    await journal.commit(changes({ puts: rows(1, 100) }));
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
      const journal = await open(first);
      const other = spawnServer({
        DATABASE_URL: `file:${path}`,
        REPLICATION: second ?? 'off',
        LITESTREAM_SOCKET: socketPath,
      });
      expect(await other.exited).toBe(1);
      expect(other.output()).toContain('another process holds it (waited 5 s)');
      expect(await journal.commit(changes({ puts: rows(1, 100) }))).toEqual({
        status: 'committed',
      });
    },
    20_000,
  );

  it('refuses a backup, because it would write the log back', async () => {
    const journal = await open('async');
    await expect(journal.backup(join(folder.path, 'backup.db'))).rejects.toThrow(
      "Litestream's snapshots take its place",
    );
  });

  it('a write lock that another program holds for longer than the busy time-out fails one commit, and no later one', async () => {
    const journal = await open('async');
    const holder = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
    const held = await holder.transaction('write');
    try {
      expect(await journal.commit(changes({ puts: rows(1, 100) }))).toMatchObject({
        status: 'absent',
      });
    } finally {
      held.close();
      holder.close();
    }
    expect(await journal.commit(changes({ puts: rows(1, 101) }))).toEqual({ status: 'committed' });
    const ids = (await loaded(journal)).map(({ position }) => position);
    expect([ids.includes(100), ids.includes(101)]).toEqual([false, true]);
  });
});
