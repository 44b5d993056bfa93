// The contract suite's host of two processes over one Postgres: each request goes to the other one
// than the request before.

import { setTimeout as delay } from 'node:timers/promises';
import { SHARD_COUNT } from '../../src/storage/postgres/shards.js';
import { FLEET_KEY, holdersIn } from './fleet.js';
import { environmentOf, type Host, RECORD_LIMIT } from './host.js';
import { newDatabaseName, sharedPostgres } from './postgres.js';
import { changePostgres } from './postgres-rows.js';
import { type ServerProcess, startServer } from './server-process.js';

/** The database of each host's folder. */
const databases = new Map<string, Promise<string>>();

/** Resolves with its name. */
function databaseOf(folder: string): Promise<string> {
  const make = async () => {
    const [server, name] = [await sharedPostgres(), newDatabaseName()];
    await server.make(name);
    return name;
  };
  const found = databases.get(folder) ?? make();
  databases.set(folder, found);
  return found;
}

export const fleetHost: Host = {
  name: 'two processes over Postgres',
  storage: 'Postgres',
  recordLimit: RECORD_LIMIT,
  idStep: SHARD_COUNT,
  keepsHeaderBytes: true,
  async changeDatabase(folder, _owner, ...statements) {
    await changePostgres(await sharedPostgres(), await databaseOf(folder), statements);
  },
  async start(options) {
    const [server, database] = [await sharedPostgres(), await databaseOf(options.folder)];
    const environment = {
      DATABASE_URL: server.urlOf(database),
      FLEET_KEY,
      ...environmentOf(options),
    };
    const processes = [await startServer(environment), await startServer(environment)];
    while ((await holdersIn(server, database)).join() !== '128,128') await delay(20);
    let requests = 0;
    return {
      fetch(path, init) {
        requests++;
        const process = processes[requests % processes.length] as ServerProcess;
        return fetch(process.origin + path, init);
      },
      async close() {
        const codes = await Promise.all(processes.map(({ stop }) => stop()));
        if (codes.every((code) => code === 0)) return;
        throw new Error(
          `the processes exited with ${codes}: ${processes.map((each) => each.output())}`,
        );
      },
    };
  },
};
