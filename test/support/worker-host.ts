// The built Worker in Miniflare, on the platform's own runtime, over HTTP. Its
// state is on disk; wrangler.toml configures it.

import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare, type WorkerOptions } from 'miniflare';
import { runSql } from '../../scripts/run-sql.js';
import { miniflareOptions, readDeployment } from '../../scripts/worker/deployment.js';
import type { Host, Settings } from './hosts.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The Worker. With an `entry`: that module, which imports the Worker as `src/worker.js`. */
export function workerHost(name: string, entry?: URL): Host {
  return {
    name,
    storage: 'objects',
    async start(folder, settings) {
      const miniflare = await startMiniflare([await workerOptions(folder, settings, entry)]);
      const { origin } = await miniflare.ready;
      return {
        fetch: (path, init) => fetch(origin + path, plain(init)),
        close: () => miniflare.dispose(),
      };
    },
    changeDatabase: async (folder, ...statements) => {
      await runSql(objectDatabase(folder, 'SERVICE', 'service'), ...statements);
    },
  };
}

type FirstWorker = WorkerOptions & { readonly durableObjectsPersist: string };

/** Options of the Worker with its state in a folder. */
export async function workerOptions(
  folder: string,
  settings: Settings,
  entry?: URL,
): Promise<FirstWorker & ReturnType<typeof miniflareOptions>> {
  const options = miniflareOptions({ folder: stateFolder(folder), settings: { ...settings } });
  if (entry === undefined) return options;
  const contents = await bundled(entry);
  const around = { type: 'ESModule' as const, path: join(DIST, 'entry.js'), contents };
  return { ...options, modules: [around, ...options.modules] };
}

/** The first Worker names the folder of all objects. */
export async function startMiniflare(workers: readonly [FirstWorker, ...WorkerOptions[]]) {
  const [{ durableObjectsPersist, ...first }, ...others] = workers;
  return new Miniflare({
    host: '127.0.0.1',
    durableObjectsPersist,
    // The Worker's log is not output of this test.
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) stream.resume();
    },
    workers: [first, ...others],
  });
}

/**
 * Asks for an answer without compression: Miniflare would compress as the platform's edge does, but
 * the tests compare the Worker's own bytes. Each request has a connection of its own: the runtime
 * closes one that was idle for 5 s, perhaps under the next request.
 */
export function plain(init: RequestInit = {}): RequestInit {
  const given = Object.fromEntries(new Headers(init.headers));
  return { ...init, headers: { 'Accept-Encoding': 'identity', Connection: 'close', ...given } };
}

/** The database file of an account's object or of the directory. It exists after the object's first call. */
export function objectDatabase(folder: string, binding: string, name: string): string {
  const deployment = readDeployment();
  const namespace = `${deployment.name}-${deployment.durableObjects[binding]}`;
  // `idFromName` as the runtime computes it: a keyed hash of the name, then a hash that proves it.
  const key = createHash('sha256').update(namespace).digest();
  const sign = (text: string | Buffer) =>
    createHmac('sha256', key).update(text).digest().subarray(0, 16);
  const id = Buffer.concat([sign(name), sign(sign(name))]).toString('hex');
  return join(stateFolder(folder), namespace, `${id}.sqlite`);
}

function stateFolder(folder: string): string {
  return join(folder, 'objects');
}

/** Bundles the module with its imports; the Worker itself stays the built one. */
async function bundled(entry: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    external: ['*/src/worker.js'],
    write: false,
  });
  const [{ text } = { text: '' }] = outputFiles;
  return text.replaceAll(/"[./]+\/src\/worker\.js"/g, '"./worker.js"');
}
