// The contract suite's hosts over a libSQL file: the handler in this process, and the built server.

import { join } from 'node:path';
import { createHandler, openRecords } from 'service-management-api';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { runSql } from '../../scripts/run-sql.js';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { readSettings } from '../../src/hosts/settings.js';
import { failMarkedWrites } from './failing-writes.js';
import type { Host } from './hosts.js';
import { startServer } from './server-process.js';

const databasePath = (folder: string) => join(folder, 'service.db');

/** Fills in the owner and status of rows that a test wrote with SQL, so that their owners see them. */
export const FILL_COLUMNS = `
  update records
     set owner = case json_type(body, '$.owner_sub')
           when 'text' then nullif(body ->> '$.owner_sub', '') end,
         status = case
           when json_type(body, '$.status') = 'text' then body ->> '$.status'
           when json_type(body, '$.status') is not null then 0 end
   where json_valid(body)
     and coalesce(body -> '$.owner_sub', '') || coalesce(body -> '$.status', '') not like '%\\ud%'`;

async function changeDatabase(folder: string, ...statements: readonly string[]) {
  await runSql(databasePath(folder), ...statements, FILL_COLUMNS);
}

/** Folders whose storage fails marked writes. */
const failing = new Set<string>();

/** The built handler: no port, plain `Request` objects. */
export const handlerHost: Host = {
  name: 'handler in process',
  storage: 'libSQL file',
  changeDatabase,
  async failMarkedWrites(folder) {
    failing.add(folder);
  },
  async start(folder, environment) {
    const settings = readSettings(environment);
    const path = databasePath(folder);
    const storage = await openLibsqlStorage({ path, sampleRows: settings.sampleRecords });
    if (failing.has(folder)) failMarkedWrites(storage);
    const scheduler = new FairScheduler();
    const records = await openRecords({ storage, scheduler, limits: settings.accountLimits });
    const { adminKey, corsAllowedOrigins } = settings;
    const { identity } = (settings.signIn && openSignIn({ settings: settings.signIn })) ?? {};
    const handler = createHandler({ records, identity, adminKey, corsAllowedOrigins, scheduler });
    return {
      fetch: (path, init) => handler(new Request(`http://localhost${path}`, init)),
      close: () => records.close(),
    };
  },
};

/** `node dist/server.js` over real HTTP. */
export const serverHost: Host = {
  name: 'node dist/server.js',
  storage: 'libSQL file',
  changeDatabase,
  async start(folder, settings) {
    const environment = { DATABASE_URL: `file:${databasePath(folder)}`, ...settings };
    const { origin, stop, output } = await startServer(environment);
    return {
      fetch: (path, init) => fetch(origin + path, init),
      async close() {
        const code = await stop();
        if (code !== 0) throw new Error(`the server exited with ${code}: ${output()}`);
      },
    };
  },
};
