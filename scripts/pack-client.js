// `npm run pack:client`: packs the client separately, without the service and its database, for programs
// that only call the API.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLinks } from './release/pages.js';
import { root } from './root.js';

/** In dist/. `cjs` also has the declarations, which are copied to `types` for ES modules. */
const BUNDLES = ['client.js', 'client-shared.js', 'operator-client.js', 'cjs'];
const CLIENTS_PAGE = 'src/clients/client/README.md';
/** Sections that the package's page omits. */
const OMITTED = /^(# |## (Other languages|The OpenAPI document|For engineers)\n)/;
/** The pages of the package, by their paths in the project. @type {Readonly<Record<string, string>>} */
const PAGES = {
  [CLIENTS_PAGE]: 'README.md',
  'src/core/http/README.md': 'API.md',
  'src/CHANGELOG.md': 'CHANGELOG.md',
};
/** Import names: in the service's package, and in this one. @type {readonly (readonly [string, string])[]} */
export const NAMES = [
  ['service-management-api/client', 'service-management-client'],
  ['service-management-api/operator-client', 'service-management-client/operator'],
];

/**
 * Writes the package's archive into a folder; resolves with its path.
 * @param {string} folder
 */
export async function packClient(folder) {
  const made = mkdtempSync(join(tmpdir(), 'client-package-'));
  try {
    const declarations = readdirSync(join(root, 'dist/cjs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => join('types', name));
    for (const name of [...BUNDLES, ...declarations]) {
      cpSync(join(root, 'dist', name), join(made, name), { recursive: true });
    }
    writeJson(join(made, 'package.json'), manifest());
    // Bundlers that do not know `exports` look for `/operator` as a folder.
    mkdirSync(join(made, 'operator'));
    const file = '../cjs/operator-client';
    writeJson(join(made, 'operator/package.json'), { main: `${file}.js`, types: `${file}.d.ts` });
    for (const [path, name] of Object.entries(PAGES)) {
      writeFileSync(join(made, name), packedPage(path));
    }
    const pack = ['pack', '--json', '--loglevel=error', '--pack-destination', resolve(folder)];
    const stdout = execFileSync('npm', pack, { cwd: made, encoding: 'utf8' });
    return join(resolve(folder), JSON.parse(stdout)[0].filename);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** @param {string} path @param {object} value */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function manifest() {
  const { version, license, type, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const entry = (/** @type {string} */ name) => ({
    require: { types: `./cjs/${name}.d.ts`, default: `./cjs/${name}.js` },
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
    // Bundlers that don't know `exports`: Metro before 0.82 (React Native 0.79), browserify.
    main: './cjs/client.js',
    types: './cjs/client.d.ts',
    exports: {
      '.': entry('client'),
      './operator': entry('operator-client'),
      './package.json': './package.json',
    },
  };
}

/** @param {string} path */
function packedPage(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const page = withLinks(path === CLIENTS_PAGE ? readme(text) : text, path, PAGES);
  return NAMES.reduce((renamed, [name, packed]) => renamed.replaceAll(name, packed), page);
}

/** @param {string} text */
function readme(text) {
  const sections = text.split(/^(?=## )/m).filter((section) => !OMITTED.test(section));
  return `# The client of the Service Management API

For programmers of apps, sites and tools that use the API. \`npm install FILE.tgz\` installs it; it has no dependencies. [API.md](../../core/http/README.md) has the paths, fields, error codes and CORS of the API, [CHANGELOG.md](../../CHANGELOG.md) the changes of each release.

${sections.join('')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await packClient('.')}\n`);
}
