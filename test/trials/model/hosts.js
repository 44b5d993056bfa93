// Where the service runs while it is held against the model: the built handler in
// this process, or `node dist/server.js` over HTTP.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createHandler, openRecords } from 'service-management-api';
import { openLibsqlJournal } from 'service-management-api/libsql';
import { openIdentityProvider } from '../identity.js';
import { plantedLibsql, plantedServer, plantTriggers } from '../planted-triggers.js';
import { startService } from '../probed-service.js';
import { ADMIN_KEY } from '../service-process.js';
import { REFUSED } from './commands.js';

/** @import { Fetch } from './exchange.js' */

/** @typedef {{ fetch: Fetch, restart: () => Promise<void>, close: () => Promise<void> }} RunningHost */
/** @typedef {(folder: string) => Promise<RunningHost>} Host On a new database in this folder. */

/** An upsert fires the triggers of an insert first: one refuses creates and updates. */
const REFUSE = `create trigger refuse before insert on records
  when new.body like '%${REFUSED}%' begin select raise(abort, 'injected'); end`;

let databases = 0;

/** The path of a new database in which some commits fail. */
async function newDatabase(/** @type {string} */ folder) {
  const path = join(folder, `model-${++databases}.db`);
  const journal = await openLibsqlJournal({ path });
  await journal.close();
  plantTriggers(path, REFUSE);
  return {
    path,
    remove() {
      for (const end of ['', '-wal', '-shm', '.planted']) rmSync(path + end, { force: true });
    },
  };
}

/** @type {Host} */
export async function inProcess(folder) {
  const database = await newDatabase(folder);
  const open = async () => {
    const planted = await plantedLibsql();
    const journal = await planted.openLibsqlJournal({ path: database.path });
    const records = await openRecords({ journal });
    /** @type {import('service-management-api').IdentityProvider} */
    const identity = {
      identify: async (token) => ({
        status: 'identified',
        subject: Buffer.from(token.slice(3), 'base64url').toString(),
      }),
    };
    return { records, handle: createHandler({ records, identity, adminKey: ADMIN_KEY }) };
  };
  let { records, handle } = await open();
  return {
    fetch: (path, init) => handle(new Request(`http://localhost${path}`, init)),
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

/** @type {Host} */
export async function overHttp(folder) {
  const database = await newDatabase(folder);
  const identity = await openIdentityProvider();
  const open = () =>
    startService(
      { DATABASE_URL: `file:${database.path}`, AUTH_USERINFO_URL: identity.url },
      plantedServer(),
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
