// `node dist/server.js` on database files of older schema versions: killed while it brings one
// along, and on a backup that an older release has made.

import { copyFile, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SCHEMA_VERSION } from '../../src/storage/file/file-schema.js';
import { openRestoration } from '../support/restoration.js';
import { spawnServer, startServer } from '../support/server-process.js';
import { contentsOf, type FileContents, makeShopFile } from '../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SHOP = { accounts: ['juma', 'amina', 'bibi'], records: 30_000, events: 5 };

let folder: TemporaryFolder;
let older: string;
let before: FileContents;
const at = (name: string) => `${folder.path}/${name}`;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  older = at('older.db');
  await makeShopFile(older, { ...SHOP, version: 2 });
  before = await contentsOf(older);
});
afterAll(() => folder.remove());

async function versionOf(path: string): Promise<unknown> {
  return (await runSql(path, 'pragma user_version'))[0]?.['user_version'];
}

describe('A start on a file of schema version 2', () => {
  // Some kills come before the transaction is committed, and on a quick machine some after it.
  it.each([1, 100_000, 4_000_000])(
    'that is killed when its log has %i bytes leaves the file as it was, or whole',
    async (bytes) => {
      const path = at(`killed-${bytes}.db`);
      await copyFile(older, path);
      const { child, exited } = spawnServer({ DATABASE_URL: `file:${path}` });
      while (((await stat(`${path}-wal`).catch(() => undefined))?.size ?? 0) < bytes) {
        expect(child.exitCode).toBe(null);
        await nextTurn();
      }
      child.kill('SIGKILL');
      await exited;
      // A copy: SQLite would write the log back into the file that it looks at.
      const look = at(`look-${bytes}.db`);
      await copyFile(path, look);
      await copyFile(`${path}-wal`, `${look}-wal`);
      expect([2, SCHEMA_VERSION]).toContain(await versionOf(look));
      expect(await contentsOf(look)).toEqual(before);
      const server = await startServer({ DATABASE_URL: `file:${path}` });
      expect(await server.stop()).toBe(0);
      expect(await versionOf(path)).toBe(SCHEMA_VERSION);
      expect(await contentsOf(path)).toEqual(before);
    },
  );
});

it.each([1, 2])(
  'A backup of schema version %i is restored as it is, and a service starts on it',
  async (version) => {
    const on = await openRestoration();
    try {
      await makeShopFile(on.at('old-backup.db'), { ...SHOP, records: 300, version });
      const { code, stdout } = await on.restore([on.at('old-backup.db')]);
      expect([code, stdout]).toEqual([0, expect.stringContaining(': 300 records and ')]);
      expect(await versionOf(on.database)).toBe(version);
      await (await on.service.start()).stop();
      expect(await versionOf(on.database)).toBe(SCHEMA_VERSION);
      const { accounts } = await contentsOf(on.database);
      expect([...accounts.values()].flat()).toHaveLength(300);
    } finally {
      await on.close();
    }
  },
);
