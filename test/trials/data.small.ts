// The trial of data in and out, small: the long one is in the list of trials.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { killedImport } from './data/killed-import.js';
import { largeExport } from './data/large-export.js';

const TIMEOUT_MS = 180_000;

it(
  'An import whose importer and service are killed creates each record once',
  async () => {
    const folder = await openTemporaryFolder();
    const options = {
      folder: folder.path,
      host: 'one process',
      rows: 600,
      kills: 1,
      say: () => {},
    } as const;
    const finding = await killedImport(options).finally(folder.remove);
    expect(finding).toEqual(expect.objectContaining({ holds: true }));
  },
  TIMEOUT_MS,
);

it(
  'An export has every record, oldest first',
  async () => {
    const folder = await openTemporaryFolder();
    const finding = await largeExport({ folder: folder.path, records: 2_000 }).finally(
      folder.remove,
    );
    expect(finding).toEqual(expect.objectContaining({ holds: true }));
  },
  TIMEOUT_MS,
);
