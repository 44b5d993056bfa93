// The built Worker on the platform's own runtime, with flags of V8 that Miniflare has no
// option for: workerd is started with a configuration of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Config, serializeConfig } from 'miniflare';
import { root } from '../../../scripts/setup.js';
import { readDeployment } from '../../../scripts/worker/deployment.js';

export interface SmallRuntime {
  readonly origin: string;
  readonly pid: number;
  isRunning(): boolean;
  stop(): Promise<void>;
}

export interface SmallRuntimeOptions {
  readonly v8Flags: readonly string[];
  /** Of the state; is made if it is missing. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}

export async function startSmallRuntime(options: SmallRuntimeOptions): Promise<SmallRuntime> {
  mkdirSync(stateIn(options.folder), { recursive: true });
  // The package that Miniflare runs, too.
  const require = createRequire(createRequire(import.meta.url).resolve('miniflare'));
  const program: string = require('workerd').default;
  const child = spawn(program, ['serve', '--binary', '--experimental', '--control-fd=3', '-'], {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  });
  const [input, , , control] = child.stdio as unknown as [Writable, null, null, Readable];
  input.end(serializeConfig(configOf(options)));
  const port = await listeningPort(control, child);
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function stateIn(folder: string): string {
  return join(folder, 'objects');
}

async function listeningPort(control: Readable, child: ChildProcess): Promise<number> {
  const line = await Promise.race([
    once(createInterface(control), 'line'),
    once(child, 'exit').then(() => ['{}']),
  ]);
  const { port } = JSON.parse(String(line[0])) as { port?: number };
  if (port === undefined) throw new Error('workerd did not start');
  return port;
}

function configOf({ v8Flags, folder, settings }: SmallRuntimeOptions): Config {
  const { name: script, entry, compatibilityDate, durableObjects, vars } = readDeployment();
  const texts = Object.entries({ ...vars, ...settings });
  const objects = Object.entries(durableObjects);
  return {
    v8Flags: [...v8Flags],
    services: [
      {
        name: 'service',
        worker: {
          compatibilityDate,
          modules: [{ name: basename(entry), esModule: readFileSync(join(root, entry), 'utf8') }],
          bindings: [
            ...texts.map(([name, text]) => ({ name, text })),
            ...objects.map(([name, className]) => ({
              name,
              durableObjectNamespace: { className },
            })),
          ],
          durableObjectNamespaces: objects.map(([, className]) => ({
            className,
            // As Miniflare names them, so that the files are where `objectDatabase` looks.
            uniqueKey: `${script}-${className}`,
            enableSql: true,
          })),
          durableObjectStorage: { localDisk: 'state' },
          globalOutbound: { name: 'network' },
        },
      },
      { name: 'state', disk: { path: stateIn(folder), writable: true } },
      // The identity provider of a trial is on this machine.
      { name: 'network', network: { allow: ['public', 'private'] } },
    ],
    sockets: [{ name: 'entry', address: '127.0.0.1:0', service: { name: 'service' }, http: {} }],
  };
}
