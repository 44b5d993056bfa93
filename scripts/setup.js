// Makes a clone ready: installs the missing packages that a command needs, builds what
// is stale, and returns quickly if there is nothing to do. Runs on Node alone.
// `node scripts/setup.js test scripts/worker` also installs those packages.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from './npm.js';
import { installGroups, missingGroups } from './packages.js';

const NODE_MIN = [20, 19];
const STAMP = 'dist/.built';
/** 128 + SIGINT. */
const INTERRUPTED = 130;
/** What the build reads, besides every file of src. */
const BUILD_INPUTS = [
  'package-lock.json',
  'scripts/build.js',
  'scripts/build-document.js',
  'scripts/build-failure.js',
  'scripts/notices.js',
  'tsconfig.json',
];

export const root = fileURLToPath(new URL('..', import.meta.url));
const LOCK = join(root, '.setup.lock');

/**
 * Installs what is missing and builds what is stale. Ends the process, with one
 * line, if this machine cannot run the project or the build fails.
 * @param {readonly string[]} groups Packages beyond those that run and build: folders of workspaces.
 */
export async function makeReady(...groups) {
  await makeInstalled(...groups);
  if (isBuilt()) return;
  await locked(async () => {
    if (!isBuilt()) await build();
  });
}

/** Installs what is missing; enough for a command that works on the sources. @param {readonly string[]} groups */
export async function makeInstalled(...groups) {
  checkNode();
  if (missingGroups(root, groups).length === 0) return;
  await locked(async () => {
    const missing = missingGroups(root, groups);
    if (missing.length === 0) return;
    say(
      `Installing the packages of ${missing.map((group) => group || 'the project').join(', ')} …`,
    );
    const failure = await installGroups(root, missing);
    const left = missingGroups(root, groups);
    if (failure !== '') fail(failure);
    if (left.length > 0) fail('package.json and package-lock.json do not match; run npm install.');
  });
}

/** Two commands at once would remove each other's files: the second one waits. @param {() => Promise<void>} work */
async function locked(work) {
  await lock();
  const unlock = () => rmSync(LOCK, { force: true });
  process.once('exit', unlock);
  const stop = () => process.exit(INTERRUPTED);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await work();
  } finally {
    process.off('exit', unlock).off('SIGINT', stop).off('SIGTERM', stop);
    unlock();
  }
}

async function lock() {
  for (let waited = false; !tryLock(); waited = true) {
    if (!waited) say('Another command is installing or building in this folder; waiting for it …');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @returns {boolean} */
function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      fail(
        `Packages or dist/ are missing, and the folder ${root} cannot be written (${error}); allow this user to write there.`,
      );
    }
    // A killed holder leaves its lock; one that has just taken it has not yet written its id: 0.
    const holder = Number(readIfThere(LOCK));
    if (holder === 0 || isAlive(holder)) return false;
    rmSync(LOCK, { force: true });
    return tryLock();
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
  fail(`This is Node ${process.versions.node}; install Node ${NODE_MIN.join('.')} or newer.`);
}

function isBuilt() {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceHash();
}

async function build() {
  say('Building dist/ …');
  const { buildAll, BuildFailure } = await import('./build.js');
  const hash = sourceHash();
  try {
    await buildAll();
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    fail(error.message);
  }
  // The hash of the sources as they were read: a file that changed during the build is built again.
  writeFileSync(join(root, STAMP), hash);
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const groups = process.argv.slice(2);
  if (!groups.includes('--help')) await makeReady(...groups);
  else say('npm run build\n\nInstalls what is missing, and builds dist/ if sources have changed.');
}
