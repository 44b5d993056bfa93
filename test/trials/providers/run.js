// `node test/trials/providers/run.js [--quick] [--cost] [keycloak|edge|…]`: the trial of sign-in by itself.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { makeReady, root } from '../../../scripts/setup.js';

await makeReady();
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/trust-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const isCost = process.argv.includes('--cost');
const name = isCost ? 'cost' : 'providers';
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: [`test/trials/providers/${name}.ts`],
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  write: false,
  logLevel: 'warning',
});
// The support files find dist/ from where they stand: two folders below the root.
const file = join(root, 'data/trust-bundle', `${process.pid}.mjs`);
mkdirSync(join(root, 'data/trust-bundle'), { recursive: true });
writeFileSync(file, outputFiles[0]?.text ?? '');
process.on('exit', () => rmSync(file, { force: true }));
const trial = await import(file);
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
const findings = await trial[name]({ quick: process.argv.includes('--quick'), folder, say, only });
for (const { fault, tried, found, holds } of findings) {
  const verdict = holds === undefined ? 'not tried' : holds ? 'holds' : 'FAILS';
  process.stdout.write(`${verdict.padEnd(9)}  ${fault}\n           ${tried}: ${found}\n`);
}
process.exit(
  findings.some((/** @type {{ holds?: boolean }} */ { holds }) => holds === false) ? 1 : 0,
);
