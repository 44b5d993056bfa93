// `--check --online` with the real Litestream: whether the replica itself takes the changes.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { itWithLitestream, litestreamHome } from '../../support/litestream.js';
import { startProgram } from '../../support/program.js';
import { startServer } from '../../support/server-process.js';
import { openTemporaryFolder } from '../../support/temporary-folder.js';

const SERVER = new URL('../../../dist/server.js', import.meta.url).pathname;

itWithLitestream(
  '--check --online asks Litestream to sync, and warns if the replica takes nothing',
  async (program) => {
    const folder = await openTemporaryFolder();
    const home = litestreamHome({ program, folder: folder.path });
    const environment = {
      DATABASE_URL: `file:${home.file}`,
      REPLICATION: `async:${home.socketPath}`,
    };
    const check = (...more: string[]) =>
      startProgram([process.execPath, SERVER, '--check', ...more], {
        environment: { PORT: '0', ...environment },
      }).ended;
    let litestream = home.start();
    try {
      const server = await startServer({ ...environment, DATABASE_CREATE: 'yes' });
      expect(await server.stop()).toBe(0);
      const synced = await check('--online');
      expect([synced.code, synced.stdout]).toEqual([
        0,
        expect.stringContaining('the replica has every change up to'),
      ]);

      await litestream.end('SIGTERM');
      const replica = join(folder.path, 'replica');
      rmSync(replica, { recursive: true });
      writeFileSync(replica, 'in the place of the folder');
      litestream = home.start();
      const failed = await check('--online');
      expect([failed.code, failed.stdout + failed.stderr]).toEqual([
        0,
        expect.stringMatching(/"event":"replica_unreachable"/),
      ]);
    } finally {
      await litestream.end('SIGKILL');
      await folder.remove();
    }
  },
  60_000,
);
