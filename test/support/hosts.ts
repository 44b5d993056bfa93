// The hosts that the contract suite runs on. A new host is one more entry here.
// `npm test -- contract --host handler` runs one of them; each is loaded only
// when it is wanted, with what it needs.

import type { Host } from './host.js';

/** By the name that `--host` takes. */
const LOADERS: Readonly<Record<string, () => Promise<Host>>> = {
  handler: async () => (await import('./handler-host.js')).handlerHost,
  server: async () => (await import('./server-host.js')).serverHost,
  worker: async () => (await import('./worker-host.js')).workerHost('dist/worker.js in Miniflare'),
};

export const HOSTS: readonly Host[] = await Promise.all(wantedNames().map(load));

function wantedNames(): readonly string[] {
  const wanted = process.env['TEST_HOSTS'];
  return wanted ? wanted.split(',') : Object.keys(LOADERS);
}

function load(name: string): Promise<Host> {
  const known = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  if (known !== undefined) return known();
  throw new Error(`--host is "${name}"; it must be one of ${Object.keys(LOADERS).join(', ')}`);
}
