// Builds dist/: types are checked first, then the description of the API is made,
// then the bundles: each entry with all that it needs.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { makeDocument } from './build-document.js';
import { BuildFailure, messagesOf, typeErrors } from './build-failure.js';
import { noticesOf } from './notices.js';

export { BuildFailure };

const root = fileURLToPath(new URL('..', import.meta.url));
const TSC = join(root, 'node_modules/typescript/bin/tsc');

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  metafile: true,
  // The build reports failures itself.
  logLevel: 'silent',
  outdir: 'dist',
};

/** An import of `node:` anything is a build error here. @type {import('esbuild').BuildOptions} */
const neutral = { ...common, platform: 'neutral', mainFields: ['module', 'main'] };

/** Redirects imports of `libsql.ts` to the built file, which has its thread next to it. @type {import('esbuild').Plugin} */
const besideLibsql = {
  name: 'beside-libsql',
  setup({ onResolve }) {
    onResolve({ filter: /\/libsql\.js$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? null : { path: `./${path.split('/').at(-1)}`, external: true },
    );
  },
};

/** @type {import('esbuild').BuildOptions} */
const onNode = {
  ...common,
  platform: 'node',
  external: ['libsql', 'pg'],
  plugins: [besideLibsql],
};

/** @type {import('esbuild').BuildOptions} */
const clients = {
  ...common,
  entryPoints: ['src/client.ts', 'src/operator-client.ts'],
  // Browsers and phones of 2019: an app's bundler does not translate installed packages.
  target: 'es2019',
  platform: 'neutral',
};
/** The types of the clients, in dist/types. */
const CLIENT_TYPES = [
  'client.d.ts',
  'operator-client.d.ts',
  'clients/client',
  'core/domain/errors.d.ts',
  'core/operator-answers.d.ts',
];

/**
 * Rejects with a `BuildFailure`: what is wrong, with file and line. Until types
 * and description are right, dist/ stays as it was.
 */
export async function buildAll() {
  await typeScript('src/tsconfig.check.json');
  const described = await makeDocument(root);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist'));
  for (const [name, text] of Object.entries(described)) {
    writeFileSync(join(root, 'dist', name), text);
  }
  const [bundles] = await Promise.all([buildBundles(), typeScript('src/tsconfig.build.json')]);
  // The same types again: next to this file they count as CommonJS.
  writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
  for (const name of CLIENT_TYPES) {
    cpSync(join(root, 'dist/types', name), join(root, 'dist/cjs', name), { recursive: true });
  }
  writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), noticesOf(root, bundles));
}

/** Resolves with esbuild's metafile of each bundle: the files in it. */
async function buildBundles() {
  try {
    const results = await Promise.all([
      build({ ...neutral, entryPoints: ['src/handler.ts'] }),
      // For the tests of those who embed the service, on any host.
      build({
        ...neutral,
        entryPoints: ['src/memory.ts', 'src/storage-conformance.ts'],
      }),
      build({
        ...neutral,
        entryPoints: ['src/worker.ts', 'src/admin-worker.ts'],
        external: ['cloudflare:workers'],
      }),
      build({
        ...onNode,
        entryPoints: [
          { in: 'src/libsql.ts', out: 'libsql' },
          { in: 'src/storage/file/storage-thread.ts', out: 'storage-thread' },
          { in: 'src/hosts/node/record-thread.ts', out: 'record-thread' },
          { in: 'src/storage/file/backup-process.ts', out: 'backup-process' },
          { in: 'src/preview/local-identity.ts', out: 'local-identity' },
          // Separate from the next entries, so that it does not split the deployed bundles into chunks.
          { in: 'src/preview.ts', out: 'preview' },
        ],
      }),
      // The service and the operator's command. What they share is in chunks; a command's
      // own part, with the libraries that it needs, is loaded when it is called.
      build({
        ...onNode,
        entryPoints: ['src/server.ts', 'src/manage.ts'],
        splitting: true,
        // Commander is CommonJS, and an ES module has no `require` for Node's own modules.
        banner: {
          js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
        },
      }),
      // Files that the console's pages load in the browser.
      build({
        ...common,
        entryPoints: ['src/tools/console/page-script.ts', 'src/tools/console/console.css'],
        format: 'iife',
        minify: true,
        sourcemap: false,
        outdir: 'dist/console',
      }),
      // Both clients share one file.
      build({ ...clients, splitting: true, chunkNames: 'client-shared' }),
      // For `require`, such as Jest's. esbuild splits only ES modules.
      build({ ...clients, format: 'cjs', sourcemap: false, outdir: 'dist/cjs' }),
    ]);
    return results.flatMap(({ metafile }) => metafile ?? []);
  } catch (error) {
    throw new BuildFailure(messagesOf(error));
  }
}

/** Runs the compiler on a configuration; rejects with the errors that it finds. @param {string} project */
async function typeScript(project) {
  const child = spawn(process.execPath, [TSC, '--pretty', 'false', '--project', project], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new BuildFailure(typeErrors(output));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
