// `erase`: exports an account, adds it to the ledger, deletes the exported records, and checks that
// nothing is left.

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_NAMES } from '../../../core/domain/collection-name.js';
import { HOUR_MS } from '../../../core/domain/hour.js';
import { type BackupSettings, readBackups } from '../../../hosts/settings.js';
import { ApiError } from '../../../operator-client.js';
import { addToLedger, ledgerPath } from '../../../storage/erasures/ledger.js';
import { type Call, Interrupted, UsageError } from '../../program/command.js';
import { CommandError, counted } from '../errors.js';
import { exportAccount } from '../export/export-command.js';
import { CONNECTIONS, mapConcurrent } from '../map-concurrent.js';
import { recordsOf, type ServiceClient } from '../service-client.js';

/** `exportFolder`: new, or empty. */
export async function eraseAccount(
  account: string,
  exportFolder: string,
  service: ServiceClient,
  { environment, out }: Call,
): Promise<void> {
  const [ledger, backups] = [ledgerPath(environment), readBackups(environment)];
  if (ledger === undefined) {
    throw new UsageError('BACKUP_DIR and ERASURE_LEDGER are unset; set one, as for the service');
  }
  const options = { account, folder: exportFolder, collections: COLLECTION_NAMES, csv: undefined };
  const { records: counts, total, changed } = await exportAccount(options, service);
  if (changed) {
    throw new CommandError(
      `nothing was deleted: ${account} changed during the export; end its access at the identity provider, then run this again with a new folder`,
    );
  }
  // Before the first deletion, because a backup during the erasure has records of the account.
  addToLedger(ledger, { subject: account, erased: new Date().toISOString() });
  try {
    for (const collection of COLLECTION_NAMES.filter((name) => counts[name])) {
      const path = join(exportFolder, `${collection}.ndjson`);
      const records = recordsOf(service.client, account, collection);
      await mapConcurrent((await open(path)).readLines(), CONNECTIONS, async (line) => {
        await service.withRetry(() => records.delete(JSON.parse(line).id)).catch(ignoreNotFound);
      });
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted(
      `stopped while deleting; ${exportFolder} has every record; run the command again with a new folder to delete the rest`,
    );
  }
  await assertNothingLeft(account, service);
  out(`${account} is erased: ${counted(total, 'record')} deleted, nothing is left.
The ledger ${ledger} has recorded its subject and the time.
The audit log keeps the subject and which records the operator changed, without values.
${exportFolder} now holds the only other copy; hand it over or destroy it.
${backupExpiry(backups)}
`);
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}

async function assertNothingLeft(account: string, service: ServiceClient): Promise<void> {
  const left = await service
    .withRetry(() => service.client.accounts.read(account))
    .catch(ignoreNotFound);
  if (left === undefined) return;
  throw new CommandError(
    `${account} has ${counted(left.record_count, 'record')} that the export lacks, created since. End its access at the identity provider, then erase again with a new folder`,
  );
}

/** When the last backup with the records expires. An erasure doesn't change backups. */
function backupExpiry(backups: BackupSettings | undefined): string {
  if (backups === undefined) {
    return 'BACKUP_DIR is unset: other copies of the database, and the snapshots of a replica, hold the records until they are removed.';
  }
  const { folder, intervalHours, keep } = backups;
  const when =
    intervalHours === 0
      ? 'backups are taken only on request'
      : `about ${new Date(Date.now() + keep * intervalHours * HOUR_MS).toISOString()}`;
  return `The backups in ${folder} hold the records until ${keep} newer ones have replaced them: ${when}. One that is much larger than all newer ones, or was copied there by hand, stays until you remove it.`;
}
