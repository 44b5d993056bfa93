// A copy of the built programs in another folder, for tests that change one of its files.

import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/setup.js';

/** Types and source maps are most of the bytes of dist/, and no process reads them. */
const isRun = (/** @type {string} */ path) => !/\.map$|\/types$/.test(path);

/** Copies dist/ into the folder, with what it needs to run. Returns the path of the copy. */
export function copyBuild(/** @type {string} */ folder) {
  const dist = join(folder, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: isRun });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return dist;
}
