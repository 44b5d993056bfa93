// `manage restore FILE`: puts a backup in the place of the database while the service is
// stopped.

import { dirname, resolve } from 'node:path';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { type Environment, readDatabasePath } from '../../hosts/settings.js';
import { type Restored, restoreDatabase } from '../../storage/backup/restore.js';
import { cameBack, erasedAccountsReport } from '../../storage/erasures/came-back.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { commandOf, text } from '../program/command.js';
import { pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';

export const RESTORE = commandOf({
  name: 'manage restore',
  usage: 'FILE [--database PATH] [--settings FILE]',
  about: `Stop the service first. Checks the backup FILE, puts it in the place of the
database, and keeps the old one under another name.`,
  options: { database: text('PATH', 'the database; in place of DATABASE_URL') },
  settings: 'DATABASE_URL, BACKUP_DIR, ERASURE_LEDGER as the service has them',
  async run({ values, file }, dependencies) {
    const { environment, out, now } = dependencies;
    const backup = pathOf(dependencies, file);
    warnOfSlips(dependencies);
    const path =
      values.database === undefined
        ? databaseIn(environment)
        : pathOf(dependencies, pathIn(values.database));
    // The ledger stands beside the backup's folder, unless the settings name another place.
    const ledgerAt = ledgerPath(environment, environment['BACKUP_DIR'] || dirname(backup)) ?? '';
    // First: a restore that can't read it would silently bring erased accounts back.
    const ledger = await readLedger(ledgerAt);
    const restored = await restoreDatabase(backup, path, now());
    out(reportOf(backup, path, restored));
    if (ledger !== undefined) out(erasedAccountsReport(cameBack(ledger, restored.owners)));
  },
});

/** A restore has no default: it would put a database into whatever folder it is run in. */
function databaseIn(environment: Environment): string {
  if (environment['DATABASE_URL']) return resolve(readDatabasePath(environment));
  throw new UsageError(
    "the database is not named: DATABASE_URL is unset; give --database PATH, or --settings with the file of the service's settings",
  );
}

/** A path, or what DATABASE_URL would hold. */
function pathIn(given: string): string {
  if (given === '')
    throw new UsageError('--database is empty; it must be the path of the database');
  return given.startsWith('file:') ? readDatabasePath({ DATABASE_URL: given }) : given;
}

function reportOf(backup: string, path: string, { contents, kept }: Restored): string {
  const { records, recordCount, auditEventCount } = contents;
  const counts: [string, number][] = [
    ...COLLECTION_NAMES.map((name): [string, number] => [name, records[name] ?? 0]),
    ['records in all', recordCount],
    ['audit events', auditEventCount],
  ];
  const lines = counts.map(([name, count]) => `${name.padEnd(14)} ${String(count).padStart(9)}`);
  const old = kept === undefined ? 'There was no database before.' : `The old one is now ${kept}`;
  return `${path} is now the backup ${backup}\n\n${lines.join('\n')}\n\n${old}\n`;
}
