// A small version of the trial `data`.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { killedImport } from './data.js';

it('An import whose importer and service are killed creates each record once', async () => {
  const folder = await openTemporaryFolder();
  const small = { rows: 600, kills: 1 };
  const finding = await killedImport(folder.path, small, () => {}).finally(folder.remove);
  expect(finding).toMatchObject({ holds: true });
}, 180_000);
