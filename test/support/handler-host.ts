// The contract suite's first host: the handler in this process.

import { hash } from 'node:crypto';
import { createHandler, type OpenRecords, openRecords } from 'service-management-api';
import * as libsql from 'service-management-api/libsql';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { silentLog } from '../../src/core/log.js';
import { handlerDependencies } from '../../src/hosts/responder.js';
import { readSettings } from '../../src/hosts/settings.js';
import { hasTriggers, plantedLibsql } from '../trials/planted-triggers.js';
import { databasePath, overFile } from './database-file.js';
import { environmentOf, type Host } from './host.js';

/** The handler, built or from source, in this process over a libSQL file: no port, plain `Request` objects. */
export const handlerHost: Host = {
  name: 'handler in process',
  ...overFile,
  async start(options) {
    const settings = readSettings(environmentOf(options));
    const path = databasePath(options.folder);
    const { openLibsqlStorage } = hasTriggers(path) ? await plantedLibsql() : libsql;
    const recordStorage = await openLibsqlStorage({ path, sampleRows: settings.sampleRecords });
    const scheduler = new FairScheduler();
    const limits = settings.accountLimits;
    const records: OpenRecords = await openRecords({ storage: recordStorage, scheduler, limits });
    const handler = createHandler(
      handlerDependencies({
        settings,
        records,
        log: silentLog,
        scheduler,
        admission: undefined,
        randomBytes: undefined,
        mayWait: true,
        digest: (token) => hash('sha256', token, 'base64'),
        events: undefined,
        onAdminKeyRefused: undefined,
      }),
    );
    return {
      fetch: (path, init) => handler(new Request(`http://localhost${path}`, init)),
      close: () => records.close(),
    };
  },
};
