// `npm run test:recipes`: runs the recipes of the pages as they are written, with
// the frameworks that they name and with the packages as `npm pack` makes them. The
// frameworks are about 800 MB, so they are installed for this command alone, by a
// lock file of their own, into a folder beside the sources. Arguments go to vitest.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from './npm.js';
import { packClient } from './pack-client.js';
import { makeReady, root } from './setup.js';

const LISTED = join(root, 'test/recipes');
/** Not below `test`, whose files other tests walk through. */
const FOLDER = join(root, 'data/recipes');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

await makeReady('test', 'test/browser');
const packed = mkdtempSync(join(tmpdir(), 'packed-'));
mkdirSync(FOLDER, { recursive: true });
for (const name of ['package.json', 'package-lock.json']) {
  copyFileSync(join(LISTED, name), join(FOLDER, name));
}
try {
  // Not `npm ci`: it wants packages of every platform in the lock file, which not every registry has.
  if (!isInstalled()) npm(['install', '--no-save', ...QUIET], FOLDER);
  npm(['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', packed], root);
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const archives = [join(packed, `${name}-${version}.tgz`), await packClient(packed)];
  npm(['install', '--no-save', ...QUIET, ...archives], FOLDER);
} finally {
  rmSync(packed, { recursive: true, force: true });
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', 'test/recipes/vitest.config.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;

/** Whether every package of the lock file is there in its version; one for another machine is not asked for. */
function isInstalled() {
  const installed = join(FOLDER, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const [there, wanted] = [installed, join(FOLDER, 'package-lock.json')].map(
    (path) => JSON.parse(readFileSync(path, 'utf8')).packages,
  );
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || there[path]?.version === version,
  );
}

/** @param {readonly string[]} arguments_ @param {string} cwd */
function npm(arguments_, cwd) {
  const { status } = runNpm(arguments_, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    throw new Error(
      `npm ${arguments_[0]} ended with exit code ${status}; its message stands above`,
    );
}
