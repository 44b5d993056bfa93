// The hosts that the contract suite runs on: `--project contract-NAME`. Each is loaded only when it
// is tested, with what it needs.

import { inject } from 'vitest';

export type Settings = Readonly<Record<string, string>>;

export interface RunningHost {
  /** Sends a request to a path of the host, such as `/api/v1/health`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface Host {
  readonly name: string;
  /** Hosts of one kind store records with the same code. */
  readonly storage: 'libSQL file' | 'objects' | 'Postgres';
  /** The folder keeps the host's state from one start to the next. */
  start(folder: string, settings: Settings): Promise<RunningHost>;
  /** Runs SQL in SQLite's dialect on the stopped host's database. It exists after the first request. */
  changeDatabase(folder: string, ...statements: readonly string[]): Promise<void>;
  /** From the next start on, storage fails the writes that have a mark of failing-writes.ts. Not every host supports it. */
  failMarkedWrites?(folder: string): Promise<void>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The host of this project's contract tests; `test/vitest.config.ts` provides it. */
    host: 'handler' | 'server' | 'postgres' | 'worker';
  }
}

const LOADERS = {
  handler: async (): Promise<Host> => (await import('./file-hosts.js')).handlerHost,
  server: async () => (await import('./file-hosts.js')).serverHost,
  postgres: async () => (await import('./postgres-host.js')).postgresHost,
  worker: async () => (await import('./worker-host.js')).workerHost('dist/worker.js in Miniflare'),
};

/** The host that this run tests. */
export const currentHost = (): Promise<Host> => LOADERS[inject('host')]();
