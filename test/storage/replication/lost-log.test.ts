// The service is killed and its log is gone before the next start, with the real Litestream: the
// start is refused, and what Litestream restores starts.

import { rmSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { itWithLitestream, litestreamHome } from '../../support/litestream.js';
import { spawnServer, startServer } from '../../support/server-process.js';
import { openTemporaryFolder } from '../../support/temporary-folder.js';

itWithLitestream(
  'a service whose log is deleted after a crash is refused, and starts on the restored file',
  async (program) => {
    const folder = await openTemporaryFolder();
    const home = litestreamHome({ program, folder: folder.path });
    const { file } = home;
    const environment = {
      DATABASE_URL: `file:${file}`,
      REPLICATION: `async:${home.socketPath}`,
    };
    let litestream = home.start();
    try {
      const server = await startServer({ ...environment, DATABASE_CREATE: 'yes' });
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
      const next = await startServer(environment);
      expect(await next.stop()).toBe(0);
    } finally {
      await litestream.end('SIGKILL');
      await folder.remove();
    }
  },
  60_000,
);
