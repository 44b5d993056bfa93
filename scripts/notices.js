// Collects the licences of the bundled packages for dist/. From esbuild's metafiles, so that none is
// forgotten.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|notice|copying)(-[a-z0-9.]+?)?(\.(md|txt))?$/i;
const RULE = '='.repeat(80);

/**
 * The text of THIRD-PARTY-NOTICES.txt. Throws if a bundled package has no licence file, because it must
 * not be shipped then.
 * @param {string} root
 * @param {readonly import('esbuild').Metafile[]} bundles
 */
export function noticesOf(root, bundles) {
  const packages = [...filesByPackage(bundles)].sort(([a], [b]) => (a < b ? -1 : 1));
  const notices = packages.map(([folder, files]) => noticeOf(root, folder, files));
  return [
    'The files in this folder contain parts of these packages.',
    'Packages that are installed separately, such as libsql, bring their own licences.',
    '',
    ...notices,
  ].join('\n');
}

/** Folders of the bundled packages, which may be nested, each with the built files that contain a part of it. @param {readonly import('esbuild').Metafile[]} bundles */
function filesByPackage(bundles) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const [file, { inputs }] of bundles.flatMap(({ outputs }) => Object.entries(outputs))) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder === undefined || bytesInOutput === 0) continue;
      found.set(folder, (found.get(folder) ?? new Set()).add(file.replace(/^dist\//, '')));
    }
  }
  return found;
}

/** @param {string} root @param {string} folder @param {Set<string>} files */
function noticeOf(root, folder, files) {
  const path = join(root, folder);
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const { version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const texts = readdirSync(path)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(path, file), 'utf8').trim());
  if (texts.length === 0) {
    throw new Error(`${folder} has no licence file; dist/ must include its licence`);
  }
  const title = `${name} ${version} (${license}), in ${[...files].sort().join(', ')}`;
  return [RULE, title, RULE, '', ...texts, ''].join('\n');
}
