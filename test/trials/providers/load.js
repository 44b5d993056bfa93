// The trial of sign-in for whoever runs trials: TypeScript, bundled when it is run.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../../../scripts/setup.js';

/** @import { TrialOptions, Finding } from '../trial.js' */

/** What is fetched stays here from run to run. */
const cache = join(root, 'data/providers');

/** @returns {Promise<Finding[]>} */
export async function providers(/** @type {TrialOptions & { only?: string[] }} */ options) {
  return (await bundled('providers')).providers({ ...options, cache });
}

/** What sign-in costs with Keycloak. @returns {Promise<Finding[]>} */
export async function providersCost(/** @type {TrialOptions} */ options) {
  return (await bundled('cost')).cost({ ...options, cache });
}

/** @returns {Promise<any>} */
async function bundled(/** @type {string} */ name) {
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
  const folder = join(root, 'data/trust-bundle');
  const file = join(folder, `${name}-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, outputFiles[0]?.text ?? '');
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}
