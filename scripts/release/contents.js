// The contents of a release: what runs, what operators copy, and the pages. What programmers need (types,
// clients, source maps, the Worker) is in the package of `npm pack`.

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PAGES, releasedPage } from './pages.js';

/** Built files that no command loads, and source maps. */
const FOR_PROGRAMMERS =
  /^(?:\.built|types|preview|worker|memory|storage-conformance|client|client-shared|operator-client)(?:\.js)?$|\.map$/;

/** Prints the files that the database drivers load on this machine, including native ones. */
const LOADED =
  "require('libsql'); require('pg').Pool; console.log(JSON.stringify(Object.keys(require.cache)))";

/**
 * Writes the folder of a release, without Node. Returns the platform that it is for.
 * @param {string} root the project, built
 * @param {string} folder empty
 * @param {string} notes the release notes
 */
export function writeContents(root, folder, notes) {
  copyBuilt(join(root, 'dist'), join(folder, 'dist'));
  const packages = driversPackages(root);
  for (const path of packages) copy(join(root, path), join(folder, path));
  copy(join(root, 'scripts/operations'), join(folder, 'operations'));
  const command = join(folder, 'service-management');
  copy(join(root, 'scripts/release/service-management'), command);
  chmodSync(command, 0o755);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(root), null, 2)}\n`);
  writeFileSync(join(folder, 'RELEASE-NOTES.md'), notes);
  mkdirSync(join(folder, 'pages'));
  for (const [path, name] of Object.entries(PAGES)) {
    writeFileSync(join(folder, name), releasedPage(root, path));
  }
  const isMusl = packages.some((path) => path.endsWith('-musl'));
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/** @param {string} from @param {string} to */
function copyBuilt(from, to) {
  for (const name of readdirSync(from)) {
    if (!FOR_PROGRAMMERS.test(name)) copy(join(from, name), join(to, name));
  }
}

/** Folders of packages, relative to the root, without the native files of other platforms (9 MB each). @param {string} root */
function driversPackages(root) {
  const output = execFileSync(process.execPath, ['--eval', LOADED], { cwd: root });
  /** @type {string[]} */
  const files = JSON.parse(output.toString());
  const folders = files.map((file) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '');
  return [...new Set(folders)].filter((folder) => folder !== '').sort();
}

/** @param {string} root */
function manifestOf(root) {
  const { name, version, description, license, type, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return { name, version, description, license, private: true, type, engines };
}

/** @param {string} from @param {string} to */
function copy(from, to) {
  const filter = (/** @type {string} */ path) => !/^\.DS_Store$|\.map$/.test(basename(path));
  cpSync(from, to, { recursive: true, filter });
}
