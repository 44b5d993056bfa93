// Makes a clone ready: installs what is missing, builds what is stale, and does
// nothing, quickly, where nothing is to do. Runs on Node alone.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MIN = [20, 19];
const STAMP = 'dist/.built';
/** What the build reads, besides every file of src. */
const BUILD_INPUTS = [
  'package-lock.json',
  'scripts/build.js',
  'scripts/notices.js',
  'tsconfig.json',
];

export const root = fileURLToPath(new URL('..', import.meta.url));
const LOCK = join(root, '.setup.lock');

/** Ends the process, with one line, where this machine cannot run the project. */
export async function makeReady() {
  checkNode();
  if (isInstalled() && isBuilt()) return;
  await lock();
  try {
    if (!isInstalled()) install();
    if (!isBuilt()) await build();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** Two commands at once would remove each other's packages: the second one waits. */
async function lock() {
  for (let waited = false; !tryLock(); waited = true) {
    if (!waited) say('Waiting for another command that installs or builds here …');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      fail(`This folder cannot be written (${error}); packages or dist/ are missing here.`);
    }
    if (!isRunning(Number(readIfThere(LOCK)))) rmSync(LOCK, { force: true });
    return false;
  }
}

/** A holder that was killed leaves its lock; one that has just taken it has not yet written its id. */
function isRunning(/** @type {number} */ pid) {
  if (pid === 0) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readIfThere(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = NODE_MIN;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  fail(`This is Node ${process.versions.node}; the project needs ${NODE_MIN.join('.')} or newer.`);
}

/** Whether node_modules holds the lock file's packages; npm keeps a list of what it installed. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, { version, optional }]) =>
      path === '' ||
      optional === true ||
      (installed[path]?.version === version && existsSync(join(root, path, 'package.json'))),
  );
}

/** @returns {Record<string, { version?: string, optional?: boolean }>} */
function packagesOf(/** @type {string} */ lockFile) {
  const path = join(root, lockFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

function install() {
  say('Installing packages (npm ci) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) fail(`npm ci failed${error ? `: ${error.message}` : ''}; see above.`);
}

function isBuilt() {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceHash();
}

async function build() {
  say('Building dist/ …');
  const { buildAll } = await import('./build.js');
  await buildAll();
  writeFileSync(join(root, STAMP), sourceHash());
}

/** By content, not by time: a checkout of an older commit has newer files. */
function sourceHash() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of [...sources, ...BUILD_INPUTS.map((input) => join(root, input))]) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function say(/** @type {string} */ text) {
  process.stderr.write(`${text}\n`);
}

/** @returns {never} */
function fail(/** @type {string} */ text) {
  say(text);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeReady();
