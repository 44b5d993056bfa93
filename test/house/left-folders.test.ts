// Temporary folders of killed test runs are removed, and no others.

import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeFoldersOfDeadRuns } from '../support/left-folders.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const HOUR_MS = 3_600_000;

it('Folders of a process that is gone are removed after an hour; all others stay', async () => {
  const folder = await openTemporaryFolder();
  const { pid: gone } = spawnSync('true');
  const left = `service-management-${gone}-left`;
  const others = [
    `other-${gone}-left`,
    `service-management-${process.pid}-ours`,
    'service-management-1-of-another-user',
    'service-management-abcdef',
  ];
  for (const name of [left, ...others]) await mkdir(join(folder.path, name));
  await writeFile(join(folder.path, left, 'service.db'), '');

  await removeFoldersOfDeadRuns(folder.path, Date.now() + HOUR_MS / 2);
  expect(await readdir(folder.path)).toContain(left);
  await removeFoldersOfDeadRuns(folder.path, Date.now() + HOUR_MS + 1_000);
  expect((await readdir(folder.path)).sort()).toEqual(others.sort());
  await folder.remove();
});
