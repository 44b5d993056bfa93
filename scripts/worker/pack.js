// `npm run pack:worker`: a dry run of wrangler, and whether what it would
// upload is, byte by byte, what the tests run. Needs the network the first time.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeReady, root } from '../setup.js';
import { readDeployment } from './deployment.js';

const WRANGLER = 'wrangler@4.86.0';

await makeReady();
const folder = mkdtempSync(join(tmpdir(), 'service-worker-'));
try {
  const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
  execFileSync(npx, ['--yes', WRANGLER, 'deploy', '--dry-run', '--outdir', folder], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  });
  const tested = readDeployment().modules;
  const packed = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const names = tested.map((path) => basename(path));
  const extra = packed.filter((name) => !names.includes(name));
  const other = tested.filter((path) => !isPacked(path));
  if (extra.length > 0 || other.length > 0) {
    throw new Error(
      `the upload differs from the tested modules: it has ${extra.join(', ') || 'nothing'} more, and ${other.join(', ') || 'nothing'} is missing or different`,
    );
  }
  process.stdout.write(`Packed as tested: ${tested.join(', ')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function isPacked(/** @type {string} */ path) {
  try {
    return readFileSync(join(root, path)).equals(readFileSync(join(folder, basename(path))));
  } catch {
    return false;
  }
}
