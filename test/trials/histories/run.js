// `node test/trials/histories/run.js`: the histories by themselves, without the
// other trials.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { makeReady, root } from '../../../scripts/setup.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
await makeReady();
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/histories-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const { histories } = await import(pathToFileURL(await bundled()).href);
const started = performance.now();
const findings = await histories({
  ...values,
  folder,
  say: (/** @type {string} */ text) =>
    process.stderr.write(`${Math.round((performance.now() - started) / 1000)} s  ${text}\n`),
});
for (const { fault, tried, found, holds } of findings) {
  const verdict = holds === undefined ? 'not tried' : holds ? 'holds' : 'FAILS';
  process.stdout.write(`${verdict.padEnd(9)}  ${fault}\n           ${tried}: ${found}\n`);
}
process.exit(
  findings.some((/** @type {{ holds?: boolean }} */ { holds }) => holds === false) ? 1 : 0,
);

/** The TypeScript as one module; what is JavaScript already stays where it is. */
async function bundled() {
  const outfile = join(folder, 'histories.mjs');
  await build({
    entryPoints: [join(root, 'test/trials/histories/histories.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
    logLevel: 'warning',
    plugins: [
      {
        name: 'javascript-stays',
        setup({ onResolve }) {
          onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) => {
            const file = resolve(dirname(importer), path);
            const isOwn = file.startsWith(join(root, 'test/trials/histories/'));
            const isSupport = file.startsWith(join(root, 'test/support/'));
            if (isOwn || isSupport) return { path: file.replace(/\.js$/, '.ts') };
            return { path: pathToFileURL(file).href, external: true };
          });
        },
      },
    ],
  });
  return outfile;
}
