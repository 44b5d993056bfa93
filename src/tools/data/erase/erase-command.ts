// `erase`: exports an account, records it in the ledger, deletes the exported records, and checks
// that nothing is left.

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_NAMES } from '../../../core/domain/collection-name.js';
import { HOUR_MS } from '../../../core/domain/hour.js';
import type { BackupSettings } from '../../../hosts/settings.js';
import { ApiError } from '../../../operator-client.js';
import { addToLedger } from '../../../storage/erasures/ledger.js';
import { type Call, Interrupted, type Progress, startProgress } from '../../program/command.js';
import { exportAccount } from '../export/export-command.js';
import { CommandError, counted } from '../failures.js';
import { CONNECTIONS, mapConcurrent } from '../map-concurrent.js';
import type { Records, Service } from '../service.js';

export interface EraseOptions {
  readonly account: string;
  /** New, or empty. */
  readonly exportFolder: string;
  /** Its path. */
  readonly ledger: string;
  readonly backups: BackupSettings | undefined;
}

export async function eraseAccount(
  { account, exportFolder, ledger, backups }: EraseOptions,
  service: Service,
  call: Call,
): Promise<void> {
  const options = { account, folder: exportFolder, collections: COLLECTION_NAMES, csv: undefined };
  const { records, changed } = await exportAccount(options, service, call);
  if (changed) {
    throw new CommandError(
      `nothing was deleted: ${account} changed during the export; end its access at the identity provider, then run this again with a new folder`,
    );
  }
  // Before the first deletion: a backup that is taken in between has records of an erased account.
  const erased = new Date(call.now()).toISOString();
  addToLedger(ledger, { subject: account, erased });
  const total = Object.values(records).reduce((sum, count) => sum + count, 0);
  const progress = startProgress(call, { noun: 'records', total });
  try {
    for (const collection of COLLECTION_NAMES.filter((name) => records[name])) {
      const path = join(exportFolder, `${collection}.ndjson`);
      await deleteExported(path, service, service.records(account, collection), progress);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted(
      `stopped while deleting; ${exportFolder} has every record; run the command again with a new folder to delete the rest`,
    );
  } finally {
    progress.stop();
  }
  await expectNothingLeft(account, service);
  call.out(`${account} is erased: ${counted(total, 'record')} deleted, nothing is left.
The ledger ${ledger} has recorded its subject and the time.
The audit log keeps the subject and which records the operator changed, without values.
${exportFolder} now holds the only other copy; hand it over or destroy it.
${backupExpiry(backups, call.now())}
`);
}

/** Deletes the exported records and no later ones. A record that is already gone isn't a failure. */
async function deleteExported(
  path: string,
  service: Service,
  records: Records,
  progress: Progress,
) {
  const file = await open(path);
  await mapConcurrent(file.readLines(), CONNECTIONS, async (line) => {
    const { id } = JSON.parse(line);
    await service.withRetry(() => records.delete(String(id))).catch(expectGone);
    progress.add();
  });
}

function expectGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}

async function expectNothingLeft(account: string, service: Service): Promise<void> {
  const left = await service
    .withRetry(() => service.client.accounts.read(account))
    .catch(expectGone);
  if (left === undefined) return;
  throw new CommandError(
    `${account} has ${counted(left.record_count, 'record')} that the export lacks, created since. End its access at the identity provider, then erase again with a new folder`,
  );
}

/**
 * When the last backup with the records will be removed: an erasure doesn't change backups, they
 * expire. `now`: when the records were deleted, in milliseconds since 1970, UTC.
 */
function backupExpiry(backups: BackupSettings | undefined, now: number): string {
  if (backups === undefined) {
    return 'BACKUP_DIR is not set here: other copies of the database, and the states that a replica keeps, hold the records until they are removed.';
  }
  const { folder, intervalHours, keep } = backups;
  const when =
    intervalHours === 0
      ? 'backups are taken only on request'
      : `about ${new Date(now + keep * intervalHours * HOUR_MS).toISOString()}`;
  return `The backups in ${folder} hold the records until ${keep} newer ones have replaced them: ${when}. One that is much larger than all newer ones, or was copied there by hand, stays until you remove it.`;
}
