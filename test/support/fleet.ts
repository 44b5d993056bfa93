// A fleet for a test: a database of its own in a real Postgres, and processes of the built server.

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type IdentityStub, openIdentityStub } from './identity-stub.js';
import { newDatabaseName, type PostgresServer, sharedPostgres } from './postgres.js';
import type { Environment } from './program.js';
import { type ServerProcess, startServer } from './server-process.js';

export const FLEET_KEY = 'the-key-of-a-fleet-of-the-tests-32';

export interface TestFleet {
  readonly postgres: PostgresServer;
  /** Name of its database. */
  readonly database: string;
  readonly environment: Environment;
  /** Starts one more process. */
  start(environment?: Environment): Promise<ServerProcess>;
  /** Runs SQL in its database. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  holders(): Promise<number[]>;
  /** Ends what is left of the processes, and removes the database. */
  close(): Promise<void>;
}

/** `userinfoUrl`: of the identity provider. `postgres`: default is the one that all tests share. */
export async function openFleet(
  userinfoUrl: string,
  postgres?: PostgresServer,
): Promise<TestFleet> {
  const server = postgres ?? (await sharedPostgres());
  const database = newDatabaseName();
  const environment = {
    DATABASE_URL: await server.make(database),
    FLEET_KEY,
    AUTH_USERINFO_URL: userinfoUrl,
    AUTH_CACHE_SECONDS: '300',
    ADMIN_API_KEY: 'the admin key of a test fleet, 32+',
    SAMPLE_RECORDS: 'off',
  };
  const processes: ServerProcess[] = [];
  const sql: TestFleet['sql'] = (text, values) => server.sql(database, text, values);
  return {
    postgres: server,
    database,
    environment,
    async start(more = {}) {
      const process = await startServer({ ...environment, ...more });
      processes.push(process);
      return process;
    },
    sql,
    holders: () => holdersIn(server, database),
    async close() {
      await Promise.all(processes.map(({ stop }) => stop('SIGKILL')));
      await server.drop(database);
    },
  };
}

/** How many shards each process holds, and how many nobody does, ascending. */
export async function holdersIn(server: PostgresServer, database: string): Promise<number[]> {
  const rows = await server.sql(
    database,
    "select coalesce(holder, '') holder, count(*)::int shards from shards group by 1 order by 2",
  );
  return rows.map(({ shards }) => Number(shards));
}

/** Gives each test of the file an empty fleet, which ends with the test. */
export function fleetOfEachTest(give: (fleet: TestFleet) => void): void {
  let identity: IdentityStub;
  let fleet: TestFleet;
  beforeAll(async () => {
    identity = await openIdentityStub();
  });
  afterAll(() => identity.close());
  beforeEach(async () => {
    fleet = await openFleet(identity.url);
    give(fleet);
  });
  afterEach(() => fleet.close());
}
