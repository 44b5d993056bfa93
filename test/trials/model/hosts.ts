// The hosts that the model is compared with: the built handler in this process, and
// `node dist/server.js` over HTTP.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createHandler, type IdentityProvider, openRecords } from 'service-management-api';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { openIdentityStub } from '../../support/identity-stub.js';
import { startServer } from '../../support/server-process.js';
import { plantedLibsql, plantedServer, plantTriggers } from '../planted-triggers.js';
import { ADMIN_KEY } from '../service/service-process.js';
import { REFUSED } from './commands.js';
import type { Fetch } from './exchange.js';

export type RunningHost = {
  fetch: Fetch;
  restart: () => Promise<void>;
  close: () => Promise<void>;
};
/** Starts the service on a new database in the folder. */
export type Host = (folder: string) => Promise<RunningHost>;

/** Refuses creates and updates: an upsert fires the triggers of an insert first. */
const REFUSE = `create trigger refuse before insert on records
  when new.body like '%${REFUSED}%' begin select raise(abort, 'injected'); end`;

let databases = 0;

/** The path of a new database in which some commits fail. */
async function newDatabase(folder: string) {
  const path = join(folder, `model-${++databases}.db`);
  const storage = await openLibsqlStorage({ path });
  await storage.close();
  plantTriggers(path, REFUSE);
  return {
    path,
    remove() {
      for (const end of ['', '-wal', '-shm', '.planted']) rmSync(path + end, { force: true });
    },
  };
}

/** The built handler, called in this process. */
export async function inProcess(folder: string): Promise<RunningHost> {
  const database = await newDatabase(folder);
  const open = async () => {
    const planted = await plantedLibsql();
    const storage = await planted.openLibsqlStorage({ path: database.path });
    const records = await openRecords({ storage });
    const identity: IdentityProvider = {
      identify: async (token) => ({
        status: 'identified',
        subject: Buffer.from(token.slice(3), 'base64url').toString(),
      }),
    };
    return { records, handle: createHandler({ records, identity, adminKey: ADMIN_KEY }) };
  };
  let { records, handle } = await open();
  return {
    fetch: async (path, init) => handle(new Request(`http://localhost${path}`, init)),
    async restart() {
      await records.close();
      ({ records, handle } = await open());
    },
    async close() {
      await records.close();
      database.remove();
    },
  };
}

/** The built server as a process of its own. */
export async function overHttp(folder: string): Promise<RunningHost> {
  const database = await newDatabase(folder);
  const identity = await openIdentityStub();
  const open = () =>
    startServer(
      {
        DATABASE_URL: `file:${database.path}`,
        AUTH_USERINFO_URL: identity.url,
        ADMIN_API_KEY: ADMIN_KEY,
      },
      { script: plantedServer() },
    );
  const stop = async () => {
    const code = await service.stop();
    if (code !== 0) throw new Error(`the server exited with ${code}: ${service.output()}`);
  };
  let service = await open();
  return {
    fetch: (path, init) => fetch(service.origin + path, init),
    async restart() {
      await stop();
      service = await open();
    },
    async close() {
      await stop();
      await identity.close();
      database.remove();
    },
  };
}
