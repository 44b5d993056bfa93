// The package's own name means the sources, so that a test of the handler runs a mutant.

import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * The files that the file storage starts as a thread or a process, which must be JavaScript.
 * A source that `npm run mutants` has changed has more text before the path.
 */
const STARTED_FILE = /(new URL\([^;]*?)'\.\/(storage-thread|backup-process)\.js'/;
const STARTED_SOURCES = [
  'src/storage/file/storage-thread.ts',
  'src/storage/file/backup-process.ts',
];

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
