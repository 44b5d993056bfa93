// The built Worker in Miniflare, on the platform's own runtime, over HTTP. Its
// state is on disk; wrangler.toml configures it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { transform } from 'esbuild';
import { Miniflare, type WorkerOptions } from 'miniflare';
import { runSql } from '../../scripts/run-sql.js';
import { miniflareOptions } from '../../scripts/worker/deployment.js';
import type { Host, Settings } from './hosts.js';

type FirstWorker = WorkerOptions & { readonly durableObjectsPersist: string };

/** The built Worker. With an `entry`: that module, which imports nothing but the Worker as `src/worker.js`. */
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
      await runSql(objectDatabase(folder), ...statements);
    },
  };
}

/** Options of the Worker with its state in a folder. */
export async function workerOptions(
  folder: string,
  settings: Settings,
  entry?: URL,
): Promise<FirstWorker & ReturnType<typeof miniflareOptions>> {
  const options = miniflareOptions({ folder: join(folder, 'objects'), settings: { ...settings } });
  if (entry === undefined) return options;
  const { code } = await transform(readFileSync(entry, 'utf8'), { loader: 'ts' });
  const contents = code.replace('../../src/worker.js', './worker.js');
  const path = join(options.modulesRoot, 'entry.js');
  return { ...options, modules: [{ type: 'ESModule', path, contents }, ...options.modules] };
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
 * Requests a response without compression: Miniflare would compress as the platform's edge does,
 * but the tests compare the Worker's own bytes. Each request has a connection of its own: the
 * runtime closes one that was idle for 5 s, perhaps during the next request.
 */
export function plain(init: RequestInit = {}): RequestInit {
  const given = Object.fromEntries(new Headers(init.headers));
  return { ...init, headers: { 'Accept-Encoding': 'identity', Connection: 'close', ...given } };
}

/** The database file of the one object, which exists after its first call. */
function objectDatabase(folder: string): string {
  const files = readdirSync(join(folder, 'objects'), { recursive: true, encoding: 'utf8' });
  const found = files.filter((name) => /[0-9a-f]{64}\.sqlite$/.test(name));
  if (found.length !== 1) throw new Error(`${found.length} objects have a database; one must`);
  return join(folder, 'objects', found[0] ?? '');
}
