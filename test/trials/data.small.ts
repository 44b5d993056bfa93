// A small version of the trial `data`.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { killedImport } from './data/killed-import.js';

it('An import whose importer and service are killed creates each record once', async () => {
  const folder = await openTemporaryFolder();
  const finding = await killedImport({
    folder: folder.path,
    rows: 600,
    kills: 1,
    say: () => {},
  }).finally(folder.remove);
  expect(finding).toMatchObject({ holds: true });
}, 180_000);
