// `node test/trials/providers/run.js [--quick] [--cost] [keycloak|edge|…]`: the
// trial of sign-in by itself, for some of the providers.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeReady, root } from '../../../scripts/setup.js';
import { providers, providersCost } from './load.js';

const args = process.argv.slice(2);
await makeReady();
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/trust-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const options = {
  quick: args.includes('--quick'),
  folder,
  say: (/** @type {string} */ text) => process.stderr.write(`${text}\n`),
  only: args.filter((word) => !word.startsWith('--')),
};
const findings = await (args.includes('--cost') ? providersCost(options) : providers(options));
for (const { fault, tried, found, holds } of findings) {
  const verdict = holds === undefined ? 'not tried' : holds ? 'holds' : 'FAILS';
  process.stdout.write(`${verdict.padEnd(9)}  ${fault}\n           ${tried}: ${found}\n`);
}
process.exit(findings.some(({ holds }) => holds === false) ? 1 : 0);
