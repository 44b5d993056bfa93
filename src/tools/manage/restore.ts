// `manage restore FILE`: puts a backup in the place of the database while the service is
// stopped.

import { dirname, resolve } from 'node:path';
import { readDatabasePath } from '../../hosts/settings.js';
import { restoreDatabase } from '../../storage/backup/restore.js';
import { ERASE_AGAIN, ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { type Declare, pathOf, UsageError } from '../program/command.js';

export const restore: Declare = (command, call) =>
  command
    .description(`Stop the service first. Check the backup, put it in the place of the database,
and keep the old one under another name.
Settings: DATABASE_URL, BACKUP_DIR, ERASURE_LEDGER as the service has them`)
    .argument('<file>')
    .action(async (file) => {
      const { environment, out, now } = call;
      const backup = pathOf(call, file);
      // A restore has no default: it would put a database into whatever folder it is run in.
      if (!environment['DATABASE_URL']) {
        throw new UsageError(
          "DATABASE_URL is unset; set it, or give --settings with the file of the service's settings",
        );
      }
      const path = resolve(readDatabasePath(environment));
      // The ledger stands beside the backup's folder, unless the settings name another place.
      const ledgerAt = ledgerPath(environment, environment['BACKUP_DIR'] || dirname(backup)) ?? '';
      // First: a restore that can't read it would silently bring erased accounts back.
      const ledger = await readLedger(ledgerAt);
      const { contents, kept, owners } = await restoreDatabase(backup, path, now());
      const counts = `${contents.recordCount} records and ${contents.auditEventCount} audit events`;
      const old = kept ? `The old one is now ${kept}` : 'There was no database before.';
      out(`${path} is now the backup ${backup}: ${counts}\n${old}\n`);
      const back = owners.flatMap(({ subject, oldest }) => {
        const erased = ledger?.erasedAfter(subject, oldest);
        return erased === undefined ? [] : `${subject}  erased on ${erased}\n`;
      });
      if (back.length > 0) {
        out(`\nAccounts that were erased came back with this backup:\n\n${back.join('')}\n`);
        out(`Start the service, then erase each of them again:\n${ERASE_AGAIN}\n`);
      }
    });
