// A database and a backup of it, for the tests of the restore.

import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { changes, row } from '../../src/storage/conformance/check.js';
import { checkDatabase } from '../../src/storage/file/open-database.js';
import { MANAGE } from './manage.js';
import { openNodeService } from './node-service.js';
import { startProgram } from './program.js';
import { openFolder } from './test-folder.js';

const KEPT = /^service-before-restore-[\dT-]{19}\.\d{3}Z\.db$/;

/** The number of records in the backup: the samples and one more. The database has one more than the backup. */
export const BACKUP_RECORDS = SAMPLE_RECORDS.length + 1;

export type Restoration = Awaited<ReturnType<typeof openRestoration>>;

export async function openRestoration() {
  const service = await openNodeService();
  const { at, database } = service;
  const backup = at('backups/backup.db');
  await mkdir(at('backups'));
  const storage = await openLibsqlStorage({ path: database });
  await storage.commit(changes({ puts: [row(1000)] }));
  await storage.backup(backup);
  await storage.commit(changes({ puts: [row(1001)] }));
  await storage.close();
  return {
    ...{ service, database, backup, at },
    /** Runs `node dist/manage.js restore`. An undefined variable is not in its environment. */
    restore: (
      args: readonly string[],
      environment: Readonly<Record<string, string | undefined>> = {},
      node: readonly string[] = [],
    ) =>
      startProgram([process.execPath, ...node, MANAGE, 'restore', ...args], {
        cwd: service.folder,
        environment: { ...service.environment, ...environment },
      }).ended,
    /** The names under which restores kept the old database. */
    keptNames: async () => (await readdir(service.folder)).filter((name) => KEPT.test(name)),
    close: service.close,
  };
}

/** Number of records in a database and its log. Counts in a copy, so that the files stay unchanged. */
export async function recordsIn(path: string): Promise<number> {
  const folder = await openFolder();
  const copy = folder.at('copy.db');
  await copyFile(path, copy);
  await copyFile(`${path}-wal`, `${copy}-wal`).catch(() => {});
  const { recordCount } = checkDatabase(copy);
  await folder.remove();
  return recordCount;
}
