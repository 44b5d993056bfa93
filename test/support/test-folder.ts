// Folders for the files of a test.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type beforeAll, beforeEach } from 'vitest';

export type TestFolder = Awaited<ReturnType<typeof openFolder>>;

/** The caller that opens it removes it. */
export async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'service-management-'));
  const at = (name: string) => join(path, name);
  return { path, at, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * A folder of its own for each test of a file, or of a `describe`; with `beforeAll`, one for all of
 * them. To be called before the hooks that use the folder: it is removed after theirs.
 */
export function testFolder(before: typeof beforeAll | typeof beforeEach = beforeEach): TestFolder {
  const folder = { at: (name: string) => join(folder.path, name) } as TestFolder;
  before(async () => {
    const { path, remove } = await openFolder();
    Object.assign(folder, { path, remove });
    return remove;
  });
  return folder;
}
