// A folder for a test's files.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryFolder = Awaited<ReturnType<typeof openTemporaryFolder>>;

/** The test removes it at its end; `testFolder` does so by itself. */
export async function openTemporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'service-management-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
