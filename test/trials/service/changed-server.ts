// A copy of the built server with one change, for controls: a trial must fail when the
// server breaks the promise.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';

/**
 * Makes the copy in a new folder and returns the path of its server. Throws unless the
 * built file has each text exactly once.
 */
export function changedServer(
  folder: string,
  file: string,
  replacements: readonly (readonly [from: string, to: string])[],
) {
  const dist = join(folder, 'dist');
  mkdirSync(folder);
  cpSync(join(root, 'dist'), dist, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  let text = readFileSync(join(dist, file), 'utf8');
  for (const [from, to] of replacements) {
    const pieces = text.split(from);
    if (pieces.length !== 2) throw new Error(`${file} has "${from}" ${pieces.length - 1} times`);
    text = pieces.join(to);
  }
  writeFileSync(join(dist, file), text);
  return join(dist, 'server.js');
}
