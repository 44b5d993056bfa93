// `npm run pack:client`: the client as a package of its own, without the service
// and its database, for programs that only call the API.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from './npm.js';
import { makeReady, root } from './setup.js';

/** Of dist/. */
const FILES = [
  'client.js',
  'client-shared.js',
  'operator-client.js',
  'types/client.d.ts',
  'types/operator-client.d.ts',
  'types/clients',
];

/**
 * Writes the package's archive into a folder; resolves with its path.
 * @param {string} folder
 */
export async function packClient(folder) {
  await makeReady();
  const made = mkdtempSync(join(tmpdir(), 'client-package-'));
  try {
    for (const name of FILES)
      cpSync(join(root, 'dist', name), join(made, name), { recursive: true });
    writeFileSync(join(made, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
    writeFileSync(join(made, 'README.md'), readme());
    const pack = ['pack', '--json', '--loglevel=error', '--pack-destination', resolve(folder)];
    const { status, stdout } = runNpm(pack, {
      cwd: made,
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    if (status !== 0)
      throw new Error(`npm pack ended with exit code ${status}; its message stands above`);
    return join(resolve(folder), JSON.parse(String(stdout))[0].filename);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function manifest() {
  const { version, license, type, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const entry = (/** @type {string} */ name) => ({
    types: `./types/${name}.d.ts`,
    default: `./${name}.js`,
  });
  return {
    name: 'service-management-client',
    version,
    description: 'The typed client of the Service Management API, without dependencies.',
    license,
    private: true,
    type,
    engines,
    sideEffects: false,
    exports: {
      '.': entry('client'),
      './operator': entry('operator-client'),
      './package.json': './package.json',
    },
  };
}

function readme() {
  return `# The client of the Service Management API

For programmers of apps, sites and tools that use the API. This is \`service-management-api/client\` and, as \`service-management-client/operator\`, \`service-management-api/operator-client\` as a package of its own. What they do is described in the service's own project.
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await packClient('.')}\n`);
}
