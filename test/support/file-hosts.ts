// The contract suite's hosts over a libSQL file: the handler in this process, and the built server.

import { createHandler, openRecords } from 'service-management-api';
import * as libsql from 'service-management-api/libsql';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { readSettings } from '../../src/hosts/settings.js';
import { hasTriggers, plantedLibsql, plantedServer } from '../trials/planted-triggers.js';
import { changeDatabase, databasePath } from './database-file.js';
import type { Host } from './hosts.js';
import { startServer } from './server-process.js';

const overFile: Omit<Host, 'name' | 'start'> = {
  storage: 'libSQL file',
  changeDatabase: (folder, _owner, ...statements) => changeDatabase(folder, ...statements),
};

/** The handler, built or from source: no port, plain `Request` objects. */
export const handlerHost: Host = {
  name: 'handler in process',
  ...overFile,
  async start(folder, environment) {
    const settings = readSettings(environment);
    const path = databasePath(folder);
    const { openLibsqlStorage } = hasTriggers(path) ? await plantedLibsql() : libsql;
    const storage = await openLibsqlStorage({ path, sampleRows: settings.sampleRecords });
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
  ...overFile,
  async start(folder, settings) {
    const path = databasePath(folder);
    const how = hasTriggers(path) ? { script: plantedServer() } : {};
    const server = await startServer({ DATABASE_URL: `file:${path}`, ...settings }, how);
    return {
      fetch: (path, init) => fetch(server.origin + path, init),
      async close() {
        const code = await server.stop();
        if (code !== 0) throw new Error(`the server exited with ${code}: ${server.output()}`);
      },
    };
  },
};
