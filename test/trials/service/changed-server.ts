// A copy of the built server with one change, for controls: a trial must fail when the
// server breaks the promise.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyBuild } from '../../support/build-copy.js';

/**
 * Makes the copy in a new folder and returns the path of its server. Throws unless the
 * built file has each text exactly once.
 */
export function changedServer(
  folder: string,
  file: string,
  replacements: readonly (readonly [from: string, to: string])[],
) {
  mkdirSync(folder);
  const dist = copyBuild(folder);
  let text = readFileSync(join(dist, file), 'utf8');
  for (const [from, to] of replacements) {
    const pieces = text.split(from);
    if (pieces.length !== 2) throw new Error(`${file} has "${from}" ${pieces.length - 1} times`);
    text = pieces.join(to);
  }
  writeFileSync(join(dist, file), text);
  return join(dist, 'server.js');
}
