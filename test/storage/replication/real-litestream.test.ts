// With the real Litestream: the service is killed when its commit is in the log, but not yet in the
// log's index. Litestream takes the commit from the log, so SQLite must count it, too.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { expect } from 'vitest';
import { changes, loaded, rows } from '../../../src/storage/conformance/check.js';
import { itWithLitestream, litestreamHome } from '../../support/litestream.js';
import { testFolder } from '../../support/test-folder.js';

/** Both copies of the header, and what says how far the log was written back (sqlite.org/walformat.html, 2.1). */
const INDEX_START_BYTES = 136;

const folder = testFolder();

itWithLitestream(
  'The next start finds a commit that the index of the log lacks, and the replica stays complete',
  async (program) => {
    const home = litestreamHome(program, folder.path);
    const { file: path, socketPath } = home;
    const litestream = home.start();
    const open = () => openLibsqlStorage({ path, replication: { socketPath }, createAnyway: true });
    const commit = async (
      storage: Awaited<ReturnType<typeof open>>,
      position: number,
      count = 1,
    ) => {
      const { status } = await storage.commit(changes({ puts: rows(count, position) }));
      expect(status).toBe('committed');
    };
    try {
      const killed = await open();
      for (let position = 100; position < 110; position++) await commit(killed, position);
      // Another process reads it: closing the file in this one would drop the locks of the connection.
      const before = execFileSync('head', ['-c', String(INDEX_START_BYTES), `${path}-shm`]);
      await commit(killed, 200, 200);
      await killed.close();
      const index = openSync(`${path}-shm`, 'r+');
      writeSync(index, before, 0, before.length, 0);
      closeSync(index);
      // As after a kill.
      writeFileSync(`${path}-open`, '');

      const next = await open();
      expect((await loaded(next)).length).toBeGreaterThanOrEqual(210);
      for (let position = 1_000; position < 1_100; position++) await commit(next, position);
      const positions = (await loaded(next)).map(({ position }) => position);
      await next.close();
      await litestream.end('SIGKILL');
      rmSync(dirname(path), { recursive: true });
      home.restore();
      const restored = await openLibsqlStorage({ path });
      expect((await loaded(restored)).map(({ position }) => position)).toEqual(positions);
      await restored.close();
    } finally {
      await litestream.end('SIGKILL');
    }
  },
);
