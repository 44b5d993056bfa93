// Installs the packages that a command needs, and no others. Those of the
// project itself run and build the service; each further group is a workspace of
// package.json, a folder with a package.json of its own. One lock file has all.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmEnd } from './npm.js';

/** @typedef {{ version?: string, name?: string, resolved?: string, link?: boolean, optional?: boolean, dependencies?: Record<string, string>, devDependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Package */

/** The project's own packages, as a group. */
const PROJECT = '';
/** Exists while npm runs. A killed npm leaves incomplete packages, which it later takes for complete. */
const UNFINISHED = 'node_modules/.unfinished';
/** Adds missing packages at the lock file's versions, and writes neither package.json nor the lock file. */
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Which of these groups lack a package; the project's own comes first.
 * @param {string} root
 * @param {readonly string[]} groups Folders of workspaces, such as `test`.
 */
export function missingGroups(root, groups) {
  const locked = packagesOf(join(root, 'package-lock.json'));
  const installed = existsSync(join(root, UNFINISHED))
    ? {}
    : packagesOf(join(root, 'node_modules/.package-lock.json'));
  return [PROJECT, ...groups].filter((group) =>
    [...packagesOfGroup(locked, group)].some(
      (path) =>
        installed[path]?.version !== locked[path]?.version ||
        !existsSync(join(root, path, 'package.json')),
    ),
  );
}

/**
 * Installs these groups; installed packages of other groups stay.
 * @param {string} root
 * @param {readonly string[]} groups
 * @returns {Promise<string>} Empty, or the reason of the failure.
 */
export async function installGroups(root, groups) {
  const locked = packagesOf(join(root, 'package-lock.json'));
  const names = groups.filter((group) => group !== PROJECT).map((group) => locked[group]?.name);
  const runs = [
    ...(groups.includes(PROJECT) ? [['--workspaces=false']] : []),
    // By name: npm takes a folder for every workspace below it.
    ...(names.length > 0 ? [names.map((name) => `--workspace=${name}`)] : []),
  ];
  const mark = join(root, UNFINISHED);
  if (existsSync(mark)) rmSync(join(root, 'node_modules'), { recursive: true });
  for (const which of runs) {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(mark, '');
    const end = await npmEnd([...INSTALL, ...which], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (end !== null) rmSync(mark, { force: true });
    if (end !== 0)
      return `npm install failed${typeof end === 'string' ? `: ${end}` : ''}; see its output above.`;
  }
  return '';
}

/**
 * Paths in the lock file of everything that a group needs, found as Node finds
 * packages: in the folder's own node_modules, then in those above.
 * @param {Record<string, Package>} locked
 * @param {string} group
 */
export function packagesOfGroup(locked, group) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {string} from @param {Record<string, string> | undefined} names */
  const add = (from, names = {}) => {
    for (const name of Object.keys(names)) {
      const path = resolved(locked, from, name);
      // A missing optional package is for another platform, or not needed.
      if (path === undefined || found.has(path) || locked[path]?.optional === true) continue;
      found.add(path);
      add(path, locked[path]?.dependencies);
    }
  };
  add(group, locked[group]?.dependencies);
  add(group, locked[group]?.devDependencies);
  return found;
}

/** @param {Record<string, Package>} locked @param {string} from @param {string} name */
function resolved(locked, from, name) {
  for (let folder = from; ; folder = folder.replace(/\/?[^/]*$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(locked, path)) return path;
    if (folder === '') return undefined;
  }
}

/** @param {string} path @returns {Record<string, Package>} */
function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}
