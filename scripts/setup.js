// Makes a clone ready: installs what is missing, builds what is stale, and does
// nothing, quickly, where nothing is to do. Runs on Node alone.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MIN = [20, 19];
const STAMP = 'dist/.built';
/** What the build reads, besides every file of src. */
const BUILD_INPUTS = ['package-lock.json', 'scripts/build.js', 'tsconfig.json'];

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Ends the process, with one line, where this machine cannot run the project. */
export async function makeReady() {
  checkNode();
  if (!isInstalled()) install();
  if (!isBuilt()) await build();
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
      path === '' || optional === true || installed[path]?.version === version,
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
