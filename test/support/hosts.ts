// The hosts that the contract suite runs on. A new host is one more entry here.
// `npm test -- contract --host handler` runs one of them; each is loaded only
// when it is wanted, with what it needs.

import { COLLECTION_TABLE, type CollectionRow } from './collection-table.js';
import type { Host } from './host.js';

/** By the name that `--host` takes. */
const LOADERS: Readonly<Record<string, () => Promise<Host>>> = {
  handler: async () => (await import('./handler-host.js')).handlerHost,
  server: async () => (await import('./server-host.js')).serverHost,
  postgres: async () => (await import('./postgres-host.js')).postgresHost,
  worker: async () => (await import('./worker-host.js')).workerHost('dist/worker.js in Miniflare'),
};

/** The hosts of the two groups of tests; the second group has nothing that the first has tried. */
const OF_GROUP: Readonly<Record<string, readonly string[]>> = {
  core: ['handler'],
  programs: ['server', 'postgres', 'worker'],
};
const group = process.env['TEST_GROUP'] ?? '';

export const HOSTS: readonly Host[] = await Promise.all(wantedNames().map(load));

/** Tries what one host shows for all: none where `npm test` has tried it. */
export const FIRST_HOSTS = group === 'programs' ? [] : HOSTS.slice(0, 1);

/** The first host of each kind of storage. */
export function oneHostForEachStorage(): readonly Host[] {
  const first = HOSTS.filter(
    (host, i) => HOSTS.findIndex(({ storage }) => storage === host.storage) === i,
  );
  return group === 'programs' ? first.filter(({ storage }) => storage !== 'libSQL file') : first;
}

/**
 * The rows of a long table for one host. The first host gets all rows. The others get those
 * that can differ between hosts, because all hosts run the same code for the rest.
 */
export function rowsFor<Row>(
  host: Host,
  rows: readonly Row[],
  differs: (row: Row, index: number) => boolean,
): readonly Row[] {
  const wanted = FIRST_HOSTS.includes(host) ? rows : rows.filter(differs);
  if (wanted.length === 0) throw new Error(`the table leaves no row for the host ${host.name}`);
  return wanted;
}

/** `rowsFor` of the collections: one whose owner is also in `ownerSub`, and one with defaults. */
export function collectionsFor(host: Host): readonly CollectionRow[] {
  return rowsFor(host, COLLECTION_TABLE, ({ name }) => ['businesses', 'orders'].includes(name));
}

function wantedNames(): readonly string[] {
  const wanted = process.env['TEST_HOSTS'];
  return wanted ? wanted.split(',') : (OF_GROUP[group] ?? Object.keys(LOADERS));
}

function load(name: string): Promise<Host> {
  const known = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  if (known !== undefined) return known();
  throw new Error(`--host is "${name}"; it must be one of ${Object.keys(LOADERS).join(', ')}`);
}
