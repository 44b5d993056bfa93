// A copy of the built server with one thing changed: what a promise is worth
// shows where it is not kept.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';

/**
 * Makes the copy in a folder of its own and gives the path of its server.
 * Throws where the built file does not have the text exactly once.
 */
export function otherBuild(
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
