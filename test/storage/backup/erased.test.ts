// What was deleted or replaced through the API is in no file afterwards: not in
// the database, not in the log beside it, not in the next backup.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, row } from '../storage-conformance.js';

let folder: TemporaryFolder;
let path: string;
let backup: string;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
  backup = join(folder.path, 'backup.db');
});
afterEach(() => folder.remove());

/** A record whose text is found again; every fourth one is larger than a page. */
function marked(position: number, mark: string) {
  const note = `${mark}-${position}-`.padEnd(position % 4 === 0 ? 9_000 : 300, 'x');
  return row(position, JSON.stringify({ id: row(position).id, note }));
}

async function marksIn(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  return [...(await readFile(file, 'latin1')).matchAll(/(?:canary|replaced)-\d+-/g)].map(
    ([mark]) => mark,
  );
}

it('leaves nothing of deleted and replaced records in the file or in a backup', async () => {
  const storage = await openLibsqlStorage({ path });
  const positions = Array.from({ length: 400 }, (_, i) => 1000 + i);
  for (const at of positions) await storage.commit(changes({ puts: [marked(at, 'canary')] }));
  expect(await marksIn(path).then((marks) => marks.length)).toBeGreaterThan(0);
  for (const at of positions) {
    if (at % 2 === 0) await storage.commit(changes({ removals: [at] }));
    else await storage.commit(changes({ puts: [marked(at, 'replaced')] }));
  }
  await storage.commit(changes({ removals: positions.filter((at) => at % 2 === 1) }));
  await storage.backup(backup);
  for (const file of [path, `${path}-wal`, backup])
    expect([file, await marksIn(file)]).toEqual([file, []]);
  await storage.close();
  expect(await marksIn(path)).toEqual([]);
});

it('keeps the remains of older releases out of the next backup', async () => {
  await (await openLibsqlStorage({ path })).close();
  const many = `with recursive c(n) as (select 1 union all select n + 1 from c where n < 300)`;
  await runSql(
    path,
    'pragma secure_delete = off',
    `insert into records ${many} select 5000 + n, 'customers', 'CUS-' || n, 'canary-' || n || '-', 1, 1, null, null from c`,
    'delete from records where position > 5000',
  );
  expect((await marksIn(path)).length).toBeGreaterThan(100);
  const storage = await openLibsqlStorage({ path });
  await storage.backup(backup);
  await storage.close();
  expect(await marksIn(backup)).toEqual([]);
});
