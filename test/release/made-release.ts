// The release under test, made once for all tests.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeRelease } from '../../scripts/release.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder as `npm run release` writes it. */
    readonly release: string;
    /** The archive that needs only Node, and the one that includes it. */
    readonly plain: string;
    readonly withNode: string;
  }
}

/** Vitest calls this before the run; what it returns, after it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made = await mkdtemp(join(tmpdir(), 'service-management-made-'));
  const release = join(made, 'release');
  const { plain, withNode } = await makeRelease(release);
  project.provide('release', release);
  project.provide('plain', plain);
  project.provide('withNode', withNode);
  return () => rm(made, { recursive: true, force: true });
}
