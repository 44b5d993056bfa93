// Builds dist/: the core bundle for any host, the Node entries beside it, and
// the declarations. Hosts import the core as an external file, so that what a
// host runs is the very file that every other host runs.

import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { noticesOf } from './notices.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  logLevel: 'warning',
  outdir: 'dist',
};

/** Imports of these sources become imports of the built file of that name. @type {import('esbuild').Plugin} */
const sharedBundles = {
  name: 'shared-bundles',
  setup({ onResolve }) {
    onResolve({ filter: /\/(handler|libsql)\.js$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? null : { path: `./${path.split('/').at(-1)}`, external: true },
    );
  },
};

export async function buildAll() {
  rmSync(`${root}dist`, { recursive: true, force: true });
  await Promise.all([
    // Neutral: an import of `node:` anything is a build error here.
    build({
      ...common,
      entryPoints: ['src/handler.ts'],
      platform: 'neutral',
      mainFields: ['module', 'main'],
    }),
    build({
      ...common,
      entryPoints: ['src/worker.ts'],
      platform: 'neutral',
      external: ['cloudflare:workers'],
      plugins: [sharedBundles],
    }),
    build({
      ...common,
      entryPoints: [
        { in: 'src/libsql.ts', out: 'libsql' },
        { in: 'src/storage/file/storage-thread.ts', out: 'storage-thread' },
        { in: 'src/node/record-thread.ts', out: 'record-thread' },
        { in: 'src/storage/backup/backup-process.ts', out: 'backup-process' },
        { in: 'src/restore.ts', out: 'restore' },
        { in: 'src/server.ts', out: 'server' },
        { in: 'src/preview.ts', out: 'preview' },
        { in: 'src/node/local-identity.ts', out: 'local-identity' },
      ],
      platform: 'node',
      external: ['@libsql/client'],
      plugins: [sharedBundles],
    }),
    buildData(),
    // Both clients share one file, and so one ApiError.
    build({
      ...common,
      entryPoints: ['src/client.ts', 'src/operator-client.ts'],
      platform: 'neutral',
      splitting: true,
      chunkNames: 'client-shared',
    }),
    build({
      ...common,
      entryPoints: ['src/reference/reference.ts'],
      format: 'iife',
      sourcemap: false,
      outdir: 'dist/reference',
    }),
  ]);
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--project', 'src/tsconfig.build.json'],
    { cwd: root, stdio: 'inherit' },
  );
  await writeOpenApi();
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
    copyFileSync(`${root}node_modules/swagger-ui-dist/${name}`, `${root}dist/reference/${name}`);
  }
  copyFileSync(`${root}src/reference/reference.html`, `${root}dist/reference/reference.html`);
}

/** The data tool, with the libraries that it needs and their licences. */
async function buildData() {
  const { metafile } = await build({
    ...common,
    entryPoints: ['src/data.ts'],
    platform: 'node',
    metafile: true,
    // A CommonJS library in it asks for Node's own modules.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
  });
  writeFileSync(`${root}dist/data.LICENSES.txt`, noticesOf(metafile));
}

/** The description of the API is data: what makes it is run here and goes nowhere. */
async function writeOpenApi() {
  const { openApiDocument } = await importSource('src/openapi/document.ts');
  const { httpFile, postmanCollection } = await importSource('src/openapi/requests.ts');
  const document = openApiDocument();
  writeFileSync(`${root}dist/openapi.json`, jsonText(document));
  writeFileSync(`${root}dist/postman.json`, jsonText(postmanCollection(document)));
  writeFileSync(`${root}dist/requests.http`, httpFile(document));
}

/** @returns {Promise<any>} */
async function importSource(/** @type {string} */ path) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [path],
    platform: 'neutral',
    mainFields: ['module', 'main'],
    sourcemap: false,
    write: false,
  });
  const code = outputFiles.map(({ text }) => text).join('');
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

function jsonText(/** @type {unknown} */ value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
