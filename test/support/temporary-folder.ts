// A folder for one test's files. The test removes it at its end.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryFolder = Awaited<ReturnType<typeof openTemporaryFolder>>;

export async function openTemporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'service-management-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
