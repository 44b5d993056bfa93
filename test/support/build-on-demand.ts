// Two plugins for loading the files of this project. One builds dist/ before the first
// file that uses it, so that a test of one layer starts at once. The other makes the
// package's name mean the sources, if one host runs from source.

import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A path into our dist/; not the `dist` of a package, such as `ajv/dist/2020.js`. */
const BUILT_PATH = /(?:['"`}]|\.\.\/|\}\/)dist\b/;
/** An import of the package by its own name. */
const PACKAGE_NAME = /\b(?:from|import)\b[\s(]*['"`]service-management-api['"`/]/;
/**
 * The files that the file storage starts as a thread or a process, which must be JavaScript.
 * A source that `npm run mutants` has changed has more text before the path.
 */
const STARTED_FILE = /(new URL\([^;]*?)'\.\/(storage-thread|backup-process)\.js'/;
const STARTED_SOURCES = [
  'src/storage/file/storage-thread.ts',
  'src/storage/file/backup-process.ts',
];

/** Builds dist/ before the first file that uses it is run; `fromSource` takes care of the package's name. */
export function buildOnDemand(isFromSource: boolean): Plugin {
  let ready: Promise<void> | undefined;
  return {
    name: 'build-on-demand',
    enforce: 'pre',
    async transform(code, id) {
      const usesBuild = BUILT_PATH.test(code) || (!isFromSource && PACKAGE_NAME.test(code));
      // This script names dist/ because it builds it.
      const isBuilder = id.endsWith('/scripts/setup.js');
      if (!usesBuild || isBuilder || id.includes('/node_modules/')) return;
      if (process.env['QUICK_CHECKS']) {
        throw new Error(`${id} uses dist/; the quick checks build nothing, so move that part out`);
      }
      // By its URL; otherwise vite would bundle it with vitest's configuration.
      const script = new URL('../../scripts/setup.js', import.meta.url).href;
      const setup: typeof import('../../scripts/setup.js') = await import(script);
      ready ??= setup.makeReady('test', 'scripts/worker');
      await ready;
    },
  };
}

/** The package's name leads to its source; only the files that run as a thread or process are bundled. */
export function fromSource(): Plugin {
  let bundled: Promise<string> | undefined;
  return {
    name: 'from-source',
    enforce: 'pre',
    config: () => ({
      resolve: {
        alias: [
          { find: /^service-management-api$/, replacement: `${ROOT}src/handler.ts` },
          { find: /^service-management-api\/(.*)$/, replacement: `${ROOT}src/$1.ts` },
        ],
      },
    }),
    async transform(code, id) {
      const [, before, name] = (id.startsWith(`${ROOT}src/`) && STARTED_FILE.exec(code)) || [];
      if (name === undefined) return;
      bundled ??= bundleStarted();
      const url = pathToFileURL(`${await bundled}/${name}.js`).href;
      // A whole URL: the base that follows it does not count.
      return { code: code.replace(STARTED_FILE, () => `${before}'${url}'`), map: null };
    },
  };
}

/** Resolves with the folder. It is inside the project, so that the files find libsql. */
async function bundleStarted(): Promise<string> {
  const folder = `${ROOT}node_modules/.cache/from-source-${process.pid}`;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    absWorkingDir: ROOT,
    entryPoints: STARTED_SOURCES,
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    external: ['libsql'],
  });
  return folder;
}
