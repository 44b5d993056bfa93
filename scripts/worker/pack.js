// `npm run pack:worker`: checks by a dry run that wrangler would upload exactly the files that the tests
// run. Needs the network the first time, and Node 22.12 or newer for wrangler.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../root.js';
import { readDeployment } from './deployment.js';

const WRANGLER = 'wrangler@4.164.0';
/** Wrangler writes a description of the folder. */
const NOT_UPLOADED = ['README.md'];

const { entry, modules } = readDeployment();
const folder = mkdtempSync(join(tmpdir(), 'service-worker-'));
try {
  pack(folder);
  compare([entry, ...modules], folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Writes to the folder what wrangler would upload. @param {string} folder */
function pack(folder) {
  const command = ['deploy', '--dry-run', '--outdir', folder];
  execFileSync('npm', ['exec', '--yes', '--', WRANGLER, ...command], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  });
}

/** Throws if the upload is not, byte by byte, the modules that the tests run. @param {readonly string[]} tested @param {string} folder */
function compare(tested, folder) {
  const packed = readdirSync(folder).filter((name) => !NOT_UPLOADED.includes(name));
  const names = tested.map((path) => basename(path));
  const extra = packed.filter((name) => !names.includes(name));
  const other = tested.filter((path) => !isPacked(path, folder));
  if (extra.length > 0 || other.length > 0) {
    throw new Error(
      `the upload differs from the tested modules: unexpected: ${extra.join(', ') || 'none'}; missing or different: ${other.join(', ') || 'none'}`,
    );
  }
  process.stdout.write(`Packed as tested: ${tested.join(', ')}\n`);
}

function isPacked(/** @type {string} */ path, /** @type {string} */ folder) {
  try {
    return readFileSync(join(root, path)).equals(readFileSync(join(folder, basename(path))));
  } catch {
    return false;
  }
}
