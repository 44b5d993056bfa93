// The hosts that the contract suite runs on. A new host is one more entry here.

import { join } from 'node:path';
import {
  createHandler,
  type Handler,
  type OpenRecords,
  openRecords,
  sharedChecks,
  userinfoIdentity,
} from 'service-management-api';
import * as libsql from 'service-management-api/libsql';
import { runSql } from '../../scripts/run-sql.js';
import {
  hasTriggers,
  plantedLibsql,
  plantedServer,
  plantTriggers,
} from '../trials/planted-triggers.js';
import { type ServerProcess, startServer } from './server-process.js';
import { workerHost } from './worker-host.js';

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

function databasePath(folder: string): string {
  return join(folder, 'service.db');
}

/** Runs SQL on a stopped host's database file. Triggers are planted, since a file that has some is refused. */
export async function changeDatabase(folder: string, ...statements: string[]): Promise<void> {
  const path = databasePath(folder);
  const isTrigger = (statement: string) => statement.startsWith('create trigger');
  plantTriggers(path, ...statements.filter(isTrigger));
  const others = statements.filter((statement) => !isTrigger(statement));
  if (others.length > 0) await runSql(path, ...others);
}

/** The built handler in this process, over a libSQL file: no port, plain `Request` objects. */
const inProcess: Host = {
  name: 'handler in process',
  recordLimit: {
    maxBytes: 2_097_152,
    status: 422,
    code: 'VALIDATION_FAILED',
    limitsCreates: false,
  },
  keepsHeaderBytes: true,
  changeDatabase: (folder, _owner, ...statements) => changeDatabase(folder, ...statements),
  async start(options) {
    const path = databasePath(options.folder);
    const { openLibsqlJournal } = hasTriggers(path) ? await plantedLibsql() : libsql;
    const journal = await openLibsqlJournal({ path });
    const records: OpenRecords = await openRecords({ journal });
    const handler: Handler = createHandler({
      records,
      adminKey: options.adminKey,
      corsAllowedOrigins: options.corsAllowedOrigins,
      ...(options.userinfoUrl !== undefined && {
        identity: sharedChecks(userinfoIdentity({ url: options.userinfoUrl }), { cacheSeconds: 0 }),
      }),
    });
    return {
      fetch: (path, init) => handler(new Request(`http://localhost${path}`, init)),
      close: () => records.close(),
    };
  },
};

/** `node dist/server.js` over real HTTP. */
const nodeServer: Host = {
  ...inProcess,
  name: 'node dist/server.js',
  async start(options) {
    const path = databasePath(options.folder);
    const environment = {
      DATABASE_URL: `file:${path}`,
      ...(options.userinfoUrl !== undefined && { AUTH_USERINFO_URL: options.userinfoUrl }),
      ...(options.adminKey !== undefined && { ADMIN_API_KEY: options.adminKey }),
      CORS_ALLOWED_ORIGINS: options.corsAllowedOrigins.join(','),
    };
    const script = hasTriggers(path) ? plantedServer() : undefined;
    const server: ServerProcess = await startServer(environment, script);
    return {
      fetch: (path, init) => fetch(server.origin + path, init),
      async close() {
        const code = await server.stop();
        if (code !== 0) throw new Error(`the server exited with ${code}: ${server.output()}`);
      },
    };
  },
};

export const HOSTS: readonly Host[] = [
  inProcess,
  nodeServer,
  workerHost('dist/worker.js in Miniflare'),
];
