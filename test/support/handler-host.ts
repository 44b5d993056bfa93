// The contract suite's first host: the handler in this process.

import {
  createHandler,
  type Handler,
  type OpenRecords,
  openRecords,
  sharedChecks,
  userinfoIdentity,
} from 'service-management-api';
import { openLibsqlJournal } from 'service-management-api/libsql';
import { changeDatabase, databasePath } from './database-file.js';
import type { Host } from './hosts.js';

/** The handler, built or from source, in this process over a libSQL file: no port, plain `Request` objects. */
export const handlerHost: Host = {
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
    const journal = await openLibsqlJournal({ path: databasePath(options.folder) });
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
