// The settings of the file's connection, for a file of one's own and beside Litestream.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connection } from '../../../src/storage/file/connection.js';
import { putInForce } from '../../../src/storage/file/connection-settings.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
let connection: Connection;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  connection = new Connection(join(folder.path, 'service.db'), { busyTimeoutMs: 1 });
});
afterEach(async () => {
  connection.close();
  await folder.remove();
});

it.each([
  // SQLite writes the log back by itself after 1,000 pages; beside Litestream it must not.
  ['alone', 'exclusive', 1_000],
  ['shared', 'normal', 0],
] as const)('A file that is held %s', (holding, locking, checkpointPages) => {
  putInForce(connection, holding);
  const names = ['locking_mode', 'wal_autocheckpoint', 'journal_mode', 'synchronous'];
  const wanted = [locking, checkpointPages, 'wal', 2, 1, 0];
  const given = [...names, 'secure_delete', 'trusted_schema'].map((name) =>
    connection.value(`pragma ${name}`),
  );
  expect(given).toEqual(wanted);
});
