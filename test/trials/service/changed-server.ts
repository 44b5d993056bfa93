// A copy of the built server with one change, for controls: a trial must fail when the
// server breaks the promise.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.js';
import { copyBuild } from '../../support/changed-build.js';

type Replacement = readonly [from: string, to: string];

/** A change of the built server, in every file that has the texts. */
export interface Change {
  readonly name: string;
  readonly replacements: readonly Replacement[];
}

/** The control of `power`; controls.test.ts checks the texts against the build. */
export const LESS_DURABLE: Change = {
  name: 'a commit is not synced',
  replacements: [['synchronous: 2', 'synchronous: 1']],
};

/** Files that `dist/server.js` runs; others hold the same code for other entries. */
const SERVER_FILES = /^(?!preview|restore|worker|client|operator-client|backup-process).*\.js$/;

/** Makes a change in a copy of the build and gives the path of its server. Throws if a text is not found. */
export function planted(folder: string, change: Change): string {
  mkdirSync(folder);
  const dist = copyBuild(folder);
  for (const [file, replacements] of placesOf(change)) {
    let text = readFileSync(join(dist, file), 'utf8');
    for (const [from, to] of replacements) text = text.replaceAll(from, () => to);
    writeFileSync(join(dist, file), text);
  }
  return join(dist, 'server.js');
}

/** The built files that it changes. Throws if a text is in none. */
export function placesOf({
  name,
  replacements,
}: Change): ReadonlyMap<string, readonly Replacement[]> {
  const files = readdirSync(join(root, 'dist')).filter((file) => SERVER_FILES.test(file));
  const byFile = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const holding = files.filter((file) =>
      readFileSync(join(root, 'dist', file), 'utf8').includes(replacement[0]),
    );
    for (const file of holding) byFile.set(file, [...(byFile.get(file) ?? []), replacement]);
    if (holding.length === 0) {
      throw new Error(`"${name}" finds no place: no built file has "${replacement[0]}"`);
    }
  }
  return byFile;
}
