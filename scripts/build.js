// Builds dist/: checks types, generates the OpenAPI document, then bundles each entry point.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { makeDocument } from './build-document.js';
import { noticesOf } from './notices.js';
import { root } from './root.js';

/** What the build reads in addition to src. */
const BUILD_INPUTS = [
  'package-lock.json',
  'scripts/build.js',
  'scripts/build-document.js',
  'scripts/notices.js',
  'tsconfig.json',
];
const TSC = join(root, 'node_modules/typescript/bin/tsc');

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  metafile: true,
  logLevel: 'error',
  outdir: 'dist',
};

/** An import of `node:` anything is a build error here. @type {import('esbuild').BuildOptions} */
const neutral = { ...common, platform: 'neutral', mainFields: ['module', 'main'] };

/** Only dist/handler.js contains it. Other bundles import it from there, so that what runs is what was tested. */
const CORE = 'src/core';
const CORE_FOLDERS = ['admission', 'domain', 'http', 'identity', 'records'];
const IN_HANDLER = new RegExp(`^(?:src/handler|${CORE}/(?:${CORE_FOLDERS.join('|')})/.*)\\.js$`);

/** The handler, and every export of the core; its types have only the handler. @type {import('esbuild').StdinOptions} */
const handlerEntry = {
  contents: ['src/handler.ts', ...CORE_FOLDERS.flatMap(modulesIn)]
    .map((path) => `export * from './${path}';`)
    .join('\n'),
  resolveDir: root,
  sourcefile: 'dist-handler.ts',
};

/** @param {string} folder */
function modulesIn(folder) {
  const names = readdirSync(join(root, CORE, folder)).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => `${CORE}/${folder}/${name}`);
}

/**
 * Redirects imports to built files: of the core to `handler.js`, and of `libsql.ts` to `libsql.js`,
 * which needs its thread's file next to it. @type {import('esbuild').Plugin}
 */
const importBuilt = {
  name: 'import-built',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return null;
      const source = relative(root, join(resolveDir, path)).replaceAll('\\', '/');
      if (IN_HANDLER.test(source)) return { path: './handler.js', external: true };
      return source === 'src/libsql.js' ? { path: './libsql.js', external: true } : null;
    });
  },
};

/** @type {import('esbuild').BuildOptions} */
const onNode = {
  ...common,
  platform: 'node',
  external: ['libsql', 'pg'],
  plugins: [importBuilt],
};

/** @type {import('esbuild').BuildOptions} */
const clients = {
  ...common,
  entryPoints: ['src/client.ts', 'src/operator-client.ts'],
  // For browsers and phones of 2019, because bundlers don't transpile installed packages.
  target: 'es2019',
  platform: 'neutral',
};

/** Leaves dist/ unchanged if the type check or the document fails. */
async function buildAll() {
  await typeScript('src/tsconfig.check.json');
  const documents = await makeDocument(root);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist'));
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(root, 'dist', name), text);
  }
  const [bundles] = await Promise.all([
    buildBundles(),
    typeScript('src/tsconfig.build.json'),
    typeScript('src/tsconfig.clients.json'),
  ]);
  // Makes the declarations in this folder CommonJS.
  writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), noticesOf(root, bundles));
}

/** Resolves with esbuild's metafile of each bundle: the files in it. */
async function buildBundles() {
  const results = await Promise.all([
    build({ ...neutral, stdin: handlerEntry, entryNames: 'handler' }),
    // For the tests of programs that embed the service, on any host.
    build({
      ...neutral,
      entryPoints: ['src/memory.ts', 'src/storage-conformance.ts'],
      plugins: [importBuilt],
    }),
    build({
      ...neutral,
      entryPoints: ['src/worker.ts'],
      external: ['cloudflare:workers'],
      plugins: [importBuilt],
    }),
    build({
      ...onNode,
      entryPoints: [
        { in: 'src/libsql.ts', out: 'libsql' },
        { in: 'src/storage/file/storage-thread.ts', out: 'storage-thread' },
        { in: 'src/storage/file/backup-process.ts', out: 'backup-process' },
        // Not among the next entries, so that it does not split the deployed bundles into chunks.
        { in: 'src/preview.ts', out: 'preview' },
      ],
    }),
    // The service and the operator's commands. Shared code is in chunks; a command's own code and
    // libraries are loaded when it is called.
    build({
      ...onNode,
      entryPoints: ['src/server.ts', 'src/manage.ts'],
      splitting: true,
      // Commander is CommonJS, and an ES module has no `require` for Node's own modules.
      banner: {
        js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
      },
    }),
    // The stylesheet of the console's pages.
    build({
      ...common,
      entryPoints: ['src/tools/console/console.css'],
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
}

/** Runs the compiler on a configuration. It prints its errors. @param {string} project */
async function typeScript(project) {
  const args = [TSC, '--pretty', 'false', '--project', project];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${project} has type errors`);
}

/** By content, not by time, because a checkout of an older commit has newer files. */
function sourceHash() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of [...sources, ...BUILD_INPUTS.map((input) => join(root, input))]) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

// dist/ is replaced only if sources have changed, because a running preview or test loads its files lazily.
const stamp = join(root, 'dist/.built');
const hash = sourceHash();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) {
  await buildAll();
  writeFileSync(stamp, hash);
}
