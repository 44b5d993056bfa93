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
import type { Host } from './hosts.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The Worker. With an `entry`: that module, which imports the Worker as `src/worker.js`. */
export function workerHost(name: string, entry?: URL): Host {
  return {
    name,
    storage: 'objects',
    async start(folder, settings) {
      const options = await workerOptions(folder, settings, entry);
      const miniflare = await startMiniflare([options]);
      const { origin } = await miniflare.ready;
      return {
        // The runtime closes a connection that was idle for 5 s, perhaps under the next request:
        // each request has a connection of its own.
        fetch: (path, init) => {
          const { headers, ...rest } = plain(init);
          return fetch(origin + path, { ...rest, headers: { ...headers, Connection: 'close' } });
        },
        close: () => miniflare.dispose(),
      };
    },
    changeDatabase: async (folder, owner, ...statements) => {
      // The outbox must deliver this change, as it does every commit.
      const told = 'update outbox set revision = revision + 1';
      await runSql(objectDatabase(folder, 'ACCOUNTS', owner), ...statements, told);
    },
  };
}

/** Options of the Worker with its state in a folder. */
export async function workerOptions(
  folder: string,
  settings: Readonly<Record<string, string>>,
  entry?: URL,
): Promise<WorkerOptions & { durableObjectsPersist: string }> {
  const options = miniflareOptions({ folder: stateFolder(folder), settings: { ...settings } });
  if (entry === undefined) return options;
  const contents = await bundled(entry);
  const around = { type: 'ESModule' as const, path: join(DIST, 'entry.js'), contents };
  return { ...options, modules: [around, ...options.modules] };
}

export async function startMiniflare(workers: readonly WorkerOptions[]): Promise<Miniflare> {
  const [first] = workers;
  if (first === undefined) throw new Error('name at least one Worker');
  const { durableObjectsPersist, ...rest } = first as WorkerOptions & {
    durableObjectsPersist: string;
  };
  return new Miniflare({
    host: '127.0.0.1',
    durableObjectsPersist,
    // The Worker's log is not output of this test.
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) stream.resume();
    },
    workers: [rest, ...workers.slice(1)],
  });
}

type FirstWorker = Awaited<ReturnType<typeof workerOptions>>;
type OtherWorker = Pick<WorkerOptions, 'name'> & Record<string, unknown>;

/** Starts a Worker, and others that are bound to its objects. Resolves with their origins, in this order. */
export async function startBeside(first: FirstWorker, ...others: readonly OtherWorker[]) {
  const { durableObjectsPersist: _, ...shared } = first;
  const objects = Object.entries(first.durableObjects ?? {}).map(([binding, object]) => [
    binding,
    { ...(object as { className: string }), scriptName: first.name },
  ]);
  const beside = { ...shared, durableObjects: Object.fromEntries(objects) };
  const workers = [first, ...others.map((other) => ({ ...beside, ...other }) as WorkerOptions)];
  const unsafeDirectSockets = [{ host: '127.0.0.1', port: 0 }];
  const miniflare = await startMiniflare(
    workers.map((worker) => ({ ...worker, unsafeDirectSockets })),
  );
  const urls = workers.map(({ name }) => miniflare.unsafeGetDirectURL(name));
  return { miniflare, origins: (await Promise.all(urls)).map(({ origin }) => origin) };
}

/** Asks for an answer without compression. Miniflare would compress as the platform's edge does, but the tests compare the Worker's own bytes. */
export function plain(init: RequestInit = {}): RequestInit & { headers: Record<string, string> } {
  const given = Object.fromEntries(new Headers(init.headers));
  return { ...init, headers: { 'Accept-Encoding': 'identity', ...given } };
}

/** The database file of an account's object or of the directory. It exists after the object's first call. */
export function objectDatabase(folder: string, binding: string, name: string): string {
  const deployment = readDeployment();
  const namespace = `${deployment.name}-${deployment.durableObjects[binding]}`;
  return join(stateFolder(folder), namespace, `${objectId(namespace, name)}.sqlite`);
}

function stateFolder(folder: string): string {
  return join(folder, 'objects');
}

/** `idFromName` as the runtime computes it: a keyed hash of the name, then a hash that proves it. */
function objectId(namespace: string, name: string): string {
  const key = createHash('sha256').update(namespace).digest();
  const sign = (text: string | Buffer) =>
    createHmac('sha256', key).update(text).digest().subarray(0, 16);
  const id = sign(name);
  return Buffer.concat([id, sign(id)]).toString('hex');
}

/** By entry: many tests start the same Worker. */
const bundles = new Map<string, Promise<string>>();

/** Bundles the module with its imports; the Worker itself stays the built one. */
function bundled(entry: URL): Promise<string> {
  const bundle = async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(entry)],
      bundle: true,
      format: 'esm',
      target: 'es2023',
      write: false,
      plugins: [
        {
          name: 'built-worker',
          setup: ({ onResolve }) =>
            onResolve({ filter: /src\/worker\.js$/ }, () => ({
              path: './worker.js',
              external: true,
            })),
        },
      ],
    });
    return outputFiles[0]?.text ?? '';
  };
  const known = bundles.get(entry.href) ?? bundle();
  bundles.set(entry.href, known);
  return known;
}
