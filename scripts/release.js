// `npm run release`: writes the service as two archives for this platform, with checksums and notes, to
// data/release. One needs Node, the other includes it. Reproducible: the same sources make the same bytes.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeContents } from './release/contents.js';
import { notesOf } from './release/notes.js';
import { root } from './root.js';

const FOLDER = join(root, 'data/release');
/** Caches Node from npm, in the lock file's version. */
const NODE_FOLDER = join(root, 'data/release-node');
const NODE_LISTED = join(root, 'scripts/release');
/** Limit of the archive without Node. */
const ARCHIVE_MAX_BYTES = 25_000_000;

/**
 * Writes archives, checksums and notes into a folder; resolves with the archives' paths.
 * @param {string} folder removed first
 * @returns {Promise<{ plain: string, withNode: string }>}
 */
export async function makeRelease(folder) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const node = nodesPackage();
  const notes = notesOf(root, { version, node: node.version });
  const staged = mkdtempSync(join(tmpdir(), 'service-management-release-'));
  try {
    const name = `service-management-${version}`;
    mkdirSync(join(staged, name));
    const platform = writeContents(root, join(staged, name), notes);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const plain = archive(staged, name, join(folder, `${name}-${platform}.tar.gz`));
    const { size } = statSync(plain);
    if (size > ARCHIVE_MAX_BYTES) {
      throw new Error(`${plain} has ${size} bytes; the limit is ${ARCHIVE_MAX_BYTES}`);
    }
    cpSync(join(node.path, 'bin/node'), join(staged, name, 'bin/node'));
    cpSync(join(node.path, 'LICENSE'), join(staged, name, 'bin/NODE-LICENSE'));
    const withNode = archive(staged, name, join(folder, `${name}-${platform}-node.tar.gz`));
    writeFileSync(join(folder, 'RELEASE-NOTES.md'), notes);
    writeFileSync(join(folder, 'SHA256SUMS'), [plain, withNode].map(sumOf).join(''));
    return { plain, withNode };
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Fetches Node's program for this platform, checked against the lock file. */
function nodesPackage() {
  mkdirSync(NODE_FOLDER, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(NODE_LISTED, name), join(NODE_FOLDER, name));
  }
  // Not `npm ci`, which would remove the cached files and download them again.
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', install, { cwd: NODE_FOLDER, stdio: ['ignore', 2, 2] });
  const path = join(NODE_FOLDER, 'node_modules', `node-${process.platform}-${process.arch}`);
  const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return { path, version };
}

/** @param {string} staged @param {string} name @param {string} path */
function archive(staged, name, path) {
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  const modes = '--mode=u=rwX,go=rX';
  const compressed = '--use-compress-program=gzip -6n';
  const args = [...plain, modes, compressed, '-cf', path, '-C', staged, name];
  execFileSync('tar', args, { stdio: ['ignore', 2, 2] });
  return path;
}

/** @param {string} path */
function sumOf(path) {
  const sum = createHash('sha256').update(readFileSync(path)).digest('hex');
  return `${sum}  ${path.slice(path.lastIndexOf('/') + 1)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { plain, withNode } = await makeRelease(FOLDER);
  for (const path of [plain, withNode]) {
    process.stdout.write(`${path} (${(statSync(path).size / 1e6).toFixed(1)} MB)\n`);
  }
  process.stdout.write(readFileSync(join(FOLDER, 'SHA256SUMS'), 'utf8'));
}
