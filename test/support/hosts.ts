// The hosts that the contract suite runs on. A new host is one more entry here.
// `npm test -- contract --host handler` runs one of them; each is loaded only
// when it is wanted, with what it needs.

export interface HostOptions {
  /** A folder for the host's state; what one start leaves there, the next one finds. */
  readonly folder: string;
  readonly userinfoUrl: string | undefined;
  readonly adminKey: string | undefined;
  readonly corsAllowedOrigins: readonly string[];
}

export interface RunningHost {
  /** Sends a request to a path of the host, such as `/api/v1/health`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The most that a host stores of one record, and what a larger one is answered. */
export interface RecordLimit {
  readonly maxBytes: number;
  readonly status: number;
  readonly code: string;
  /** Whether it holds for what a create writes out to, too. */
  readonly limitsCreates: boolean;
}

export interface Host {
  readonly name: string;
  readonly recordLimit: RecordLimit;
  /** Whether header values come through byte by byte; else they must be UTF-8. */
  readonly keepsHeaderBytes: boolean;
  start(options: HostOptions): Promise<RunningHost>;
  /**
   * Runs SQL on the stopped host's database that holds the account's records:
   * one for all accounts, or its own, which is there once it has written.
   */
  changeDatabase(folder: string, owner: string, ...statements: readonly string[]): Promise<void>;
}

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
