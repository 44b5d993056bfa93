// The licences of the packages that a bundle holds, as these ask for.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LICENCE_FILE = /^licen[cs]e/i;

/** One text with each package's name, version and licence. Throws where a package has no licence file. */
export function noticesOf(/** @type {import('esbuild').Metafile} */ { inputs }) {
  const folders = new Set(
    Object.keys(inputs).flatMap(
      (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    ),
  );
  return [...folders].sort().map(noticeOf).join('\n');
}

function noticeOf(/** @type {string} */ folder) {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((candidate) => LICENCE_FILE.test(candidate));
  if (file === undefined) {
    throw new Error(`${name} is bundled and has no licence file; look what it asks for`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(path, file), 'utf8').trim()}\n`;
}
