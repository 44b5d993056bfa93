// The packages that only the benchmark uses: installed on its first run, into
// its own folder. They have no types here, since the project never installs them.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../npm.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);

/** Whatever the package exports. Throws where it is not installed. */
export function peerPackage(/** @type {string} */ name) {
  return require(name);
}

/** Whether a package that may have failed to compile can be used. */
export function hasPeerPackage(/** @type {string} */ name) {
  // In a process of its own, because a native module may crash the process that loads it.
  const script = `const loaded = require(${JSON.stringify(name)}); if (loaded.name === 'Database') new loaded(':memory:')`;
  return spawnSync(process.execPath, ['-e', script], { cwd: folder, stdio: 'ignore' }).status === 0;
}

/** Resolves when the lock file's packages are there; throws where npm fails. */
export function installPeers(/** @type {(text: string) => void} */ say) {
  if (isInstalled()) return;
  say('Installing the programs that are compared with the service (npm ci in scripts/bench) …');
  const { status, error } = runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    throw new Error(`npm ci failed in ${folder}: ${error?.message ?? 'its message stands above'}`);
}

function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || installed[path]?.version === version,
  );
}

/** @returns {Record<string, { version?: string, optional?: boolean }>} */
function packagesOf(/** @type {string} */ lockFile) {
  const path = join(folder, lockFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}
