// The hosts that the model is compared with: the built handler in this process, and
// `node dist/server.js` over HTTP. Each has a new database in which some commits fail.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { databasePath } from '../../support/database-file.js';
import { handlerHost, startFileServer } from '../../support/file-hosts.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { plantedServer, plantTriggers } from '../planted-triggers.js';
import { ADMIN_KEY } from '../service/service-process.js';
import { REFUSED } from './commands.js';

/** Refuses creates and updates: an upsert fires the triggers of an insert first. */
const REFUSE = `create trigger refuse before insert on records
  when new.body like '%${REFUSED}%' begin select raise(abort, 'injected'); end`;

export type Host = (folder: string) => ReturnType<typeof opened>;

export const inProcess: Host = (folder) => opened(handlerHost, folder);
export const overHttp: Host = (folder) =>
  opened(
    {
      failMarkedWrites: async (own) => plantTriggers(databasePath(own), REFUSE),
      start: (own, settings) => startFileServer(own, settings, { script: plantedServer() }),
    },
    folder,
  );

/** Starts the service in a folder of its own. */
async function opened(
  host: Pick<typeof handlerHost, 'failMarkedWrites' | 'start'>,
  folder: string,
) {
  const own = await mkdtemp(join(folder, 'model-'));
  await (await openLibsqlStorage({ path: databasePath(own) })).close();
  await host.failMarkedWrites(own);
  const identity = await openIdentityStub();
  const settings = {
    AUTH_USERINFO_URL: identity.url,
    AUTH_CACHE_SECONDS: '300',
    ADMIN_API_KEY: ADMIN_KEY,
  };
  let running = await host.start(own, settings);
  return {
    fetch: (path: string, init?: RequestInit) => running.fetch(path, init),
    async restart() {
      await running.close();
      running = await host.start(own, settings);
    },
    async close() {
      await running.close();
      await identity.close();
      await rm(own, { recursive: true });
    },
  };
}
