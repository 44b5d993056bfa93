// A copy of the built server with one change, for controls: a trial must fail when the
// server breaks the promise.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import { copyBuild } from '../../support/build-copy.js';

type Replacement = readonly [from: string, to: string];

/** A change of the built server, wherever its files have the texts. */
export interface Change {
  readonly name: string;
  /** Each text is in one of the built files of the server at least, and in each of them once. */
  readonly replacements: readonly Replacement[];
}

/**
 * Makes the copy in a new folder and returns the path of its server. Throws unless the
 * built file has each text exactly once.
 */
export function changedServer(folder: string, file: string, replacements: readonly Replacement[]) {
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

/** Files that `dist/server.js` runs; others hold the same code for other entries. */
const SERVER_FILES = /^(?!preview|restore|worker|client|operator-client|backup-process).*\.js$/;

/** Makes a change in a copy of the build and gives the path of its server. Throws where a text is not found. */
export function planted(folder: string, change: Change): string {
  return plantedFiles(folder, placesOf(change));
}

/** The built files that it changes. Throws where a text is in none. */
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

function plantedFiles(folder: string, byFile: ReadonlyMap<string, readonly Replacement[]>): string {
  const [[first = '', own = []] = [], ...others] = [...byFile];
  const server = changedServer(folder, first, own);
  for (const [file, replacements] of others) {
    const path = join(folder, 'dist', file);
    let text = readFileSync(path, 'utf8');
    for (const [from, to] of replacements) text = text.replace(from, () => to);
    writeFileSync(path, text);
  }
  return server;
}
