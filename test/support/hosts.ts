// The hosts that the contract suite runs on, by the name that `--host` takes. Each is loaded only
// when it is wanted, with what it needs.

import { COLLECTION_TABLE, type CollectionRow } from './collection-table.js';

export type Settings = Readonly<Record<string, string>>;

export interface RunningHost {
  /** Sends a request to a path of the host, such as `/api/v1/health`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface Host {
  readonly name: string;
  /** Hosts of the same kind keep their records with the same code. */
  readonly storage: 'libSQL file' | 'objects' | 'Postgres';
  /** The folder keeps the host's state from one start to the next. */
  start(folder: string, settings: Settings): Promise<RunningHost>;
  /**
   * Runs SQL in SQLite's dialect on the stopped host's database that holds the account's records:
   * one database for all accounts, or the account's own, which exists once it has written.
   */
  changeDatabase(folder: string, owner: string, ...statements: readonly string[]): Promise<void>;
}

const LOADERS: Readonly<Record<string, () => Promise<Host>>> = {
  handler: async () => (await import('./file-hosts.js')).handlerHost,
  server: async () => (await import('./file-hosts.js')).serverHost,
  postgres: async () => (await import('./postgres-host.js')).postgresHost,
  worker: async () => (await import('./worker-host.js')).workerHost('dist/worker.js in Miniflare'),
};

/** The second group leaves out the hosts that the first has tested. */
const OF_GROUP: Readonly<Record<string, readonly string[]>> = {
  core: ['handler'],
  programs: ['server', 'postgres', 'worker'],
};
const { TEST_GROUP = '', TEST_HOSTS } = process.env;
const wanted = TEST_HOSTS ? TEST_HOSTS.split(',') : (OF_GROUP[TEST_GROUP] ?? Object.keys(LOADERS));

export const HOSTS: readonly Host[] = await Promise.all(
  wanted.map((name) => {
    const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
    if (load !== undefined) return load();
    throw new Error(`--host is "${name}"; it must be one of ${Object.keys(LOADERS).join(', ')}`);
  }),
);

/** For behaviour that one host shows for all; empty if `npm test` has already tested it. */
export const FIRST_HOSTS = TEST_GROUP === 'programs' ? [] : HOSTS.slice(0, 1);

/** The first host of each kind of storage. */
export function oneHostForEachStorage(): readonly Host[] {
  const isTried = ({ storage }: Host) => TEST_GROUP === 'programs' && storage === 'libSQL file';
  return HOSTS.filter(
    (host) => !isTried(host) && HOSTS.find(({ storage }) => storage === host.storage) === host,
  );
}

/**
 * The rows of a long table for one host: all for the first host, for the others those that can
 * differ between hosts, because all run the same code for the rest.
 */
export function rowsFor<Row>(
  host: Host,
  rows: readonly Row[],
  differs: (row: Row, index: number) => boolean,
): readonly Row[] {
  return FIRST_HOSTS.includes(host) ? rows : rows.filter(differs);
}

/** `rowsFor` of the collections: one whose owner is also in `ownerSub`, and one with defaults. */
export function collectionsFor(host: Host): readonly CollectionRow[] {
  return rowsFor(host, COLLECTION_TABLE, ({ name }) => ['businesses', 'orders'].includes(name));
}
