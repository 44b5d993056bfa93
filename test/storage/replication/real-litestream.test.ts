// With the real Litestream: what a crash leaves is never taken for the newest state, and the check
// asks the replica itself.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect } from 'vitest';
import {
  itWithLitestream,
  type LitestreamHome,
  type LitestreamProcess,
  litestreamHome,
  litestreamProgram,
} from '../../support/litestream.js';
import { spawnServer, startServer } from '../../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, loaded, rows } from '../storage-conformance.js';

/** Both copies of the header, and what says how far the log was written back (sqlite.org/walformat.html, 2.1). */
const INDEX_START_BYTES = 136;

let folder: TemporaryFolder;
let home: LitestreamHome;
let litestream: LitestreamProcess | undefined;
let environment: Record<string, string>;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  const program = litestreamProgram() ?? '';
  home = litestreamHome({ program, folder: folder.path });
  environment = {
    DATABASE_URL: `file:${home.file}`,
    REPLICATION: `async:${home.socketPath}`,
  };
});
afterEach(async () => {
  await litestream?.end('SIGKILL');
  litestream = undefined;
  await folder.remove();
});

const NEW = { DATABASE_CREATE: 'yes' };

itWithLitestream(
  'a service whose log is deleted after a crash is refused, and starts on the restored file',
  async () => {
    const { file } = home;
    litestream = home.start();
    const server = await startServer({ ...environment, ...NEW });
    server.child.kill('SIGKILL');
    await server.exited;
    // Litestream's clean stop leaves the log there, so the next start is not refused for its sake.
    await litestream.end('SIGTERM');
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
    rmSync(`${file}-wal`);

    litestream = home.start();
    // Twice: a refused start leaves nothing that the next one takes for the log.
    for (let time = 0; time < 2; time++) {
      const refused = spawnServer(environment);
      expect([await refused.exited, refused.output()]).toEqual([
        1,
        expect.stringContaining(`its log ${file}-wal is gone or empty`),
      ]);
    }
    await litestream.end('SIGKILL');

    const restored = join(folder.path, 'restored.db');
    home.restoreTo(restored);
    await rename(restored, file);
    for (const name of ['service.db-wal', 'service.db-shm', '.service.db-litestream']) {
      rmSync(join(folder.path, 'data', name), { recursive: true, force: true });
    }
    litestream = home.start();
    expect(await (await startServer(environment)).stop()).toBe(0);
  },
  60_000,
);

itWithLitestream(
  '--check --online asks Litestream to sync, and warns if the replica takes nothing',
  async () => {
    const check = async () => {
      const program = spawnServer(environment, { args: ['--check', '--online'] });
      return [await program.exited, program.output()];
    };
    litestream = home.start();
    expect(await (await startServer({ ...environment, ...NEW })).stop()).toBe(0);
    const synced = expect.stringContaining('the replica has every change up to');
    expect(await check()).toEqual([0, synced]);

    await litestream.end('SIGTERM');
    const replica = join(folder.path, 'replica');
    rmSync(replica, { recursive: true });
    writeFileSync(replica, 'in the place of the folder');
    litestream = home.start();
    expect(await check()).toEqual([0, expect.stringContaining('"event":"replica_unreachable"')]);
  },
  60_000,
);

// The service is killed when its commit is in the log and the log's index does not say so yet:
// Litestream takes the commit from the log, so SQLite must count it, too.
itWithLitestream(
  'a commit that the index of the log does not count is counted by the next start, and the replica stays whole',
  async () => {
    const { file: path, socketPath } = home;
    const open = () => openLibsqlStorage({ path, replication: { socketPath }, createAnyway: true });
    litestream = home.start();
    const killed = await open();
    const commit = (storage: typeof killed, position: number, count = 1) =>
      storage.commit(changes({ puts: rows(count, position) }));
    for (let position = 100; position < 110; position++) await commit(killed, position);
    // Another process reads it: closing the file in this one would drop the locks of the connection.
    const before = execFileSync('head', ['-c', String(INDEX_START_BYTES), `${path}-shm`]);
    expect(await commit(killed, 200, 200)).toEqual({ status: 'committed' });
    await killed.close();
    const index = openSync(`${path}-shm`, 'r+');
    writeSync(index, before, 0, before.length, 0);
    closeSync(index);

    const next = await open();
    expect((await loaded(next)).length).toBeGreaterThanOrEqual(210);
    for (let position = 1_000; position < 1_100; position++) {
      expect(await commit(next, position)).toEqual({ status: 'committed' });
    }
    const positions = (await loaded(next)).map(({ position }) => position);
    await next.close();
    await litestream.end('SIGKILL');
    rmSync(dirname(path), { recursive: true });
    home.restore();
    const restored = await openLibsqlStorage({ path });
    expect((await loaded(restored)).map(({ position }) => position)).toEqual(positions);
    await restored.close();
  },
);
