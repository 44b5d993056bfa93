// A folder of its own for each test of a file, or of a `describe`.

import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

/** To be called before the hooks that use the folder: it is removed after theirs. */
export function testFolder() {
  const folder = { at: (name: string) => join(folder.path, name) } as TemporaryFolder & {
    at(name: string): string;
  };
  beforeEach(async () => void Object.assign(folder, await openTemporaryFolder()));
  afterEach(() => folder.remove());
  return folder;
}
