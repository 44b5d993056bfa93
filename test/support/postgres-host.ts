// The contract suite's host of two processes over one Postgres that keep no records.

import { environmentOf, type Host, RECORD_LIMIT } from './host.js';
import { newDatabaseName, sharedPostgres } from './postgres.js';
import { changePostgres } from './postgres-rows.js';
import { type ServerProcess, startServer } from './server-process.js';

const databases = new Map<string, Promise<string>>();

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

export const postgresHost: Host = {
  name: 'two stateless processes over Postgres',
  storage: 'Postgres',
  recordLimit: RECORD_LIMIT,
  keepsHeaderBytes: true,
  async changeDatabase(folder, _owner, ...statements) {
    await changePostgres(await sharedPostgres(), await databaseOf(folder), statements);
  },
  async start(options) {
    const [server, database] = [await sharedPostgres(), await databaseOf(options.folder)];
    const environment = { DATABASE_URL: server.urlOf(database), ...environmentOf(options) };
    const processes = [await startServer(environment), await startServer(environment)];
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
