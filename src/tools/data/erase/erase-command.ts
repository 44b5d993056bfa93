// `erase`: exports an account, deletes the exported records, checks in every view that
// nothing is left, and records the account in the ledger.

import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_NAMES } from '../../../core/domain/collection-name.js';
import type { BackupSettings } from '../../../hosts/settings.js';
import { ApiError } from '../../../operator-client.js';
import {
  addToLedger,
  expectWritable,
  type RecordCounts,
} from '../../../storage/erasures/ledger.js';
import {
  type Call,
  Interrupted,
  type Progress,
  pause,
  startProgress,
} from '../../program/command.js';
import { exportAccount } from '../export/export-command.js';
import { OWNER_ONLY } from '../export/reverse-file.js';
import { CommandError, counted } from '../failures.js';
import { CONNECTIONS, mapConcurrent } from '../map-concurrent.js';
import { subjectsOf } from '../paginate.js';
import { type Records, runId, type Service } from '../service.js';
import { backupExpiry } from './backup-expiry.js';

export interface EraseOptions {
  readonly account: string;
  readonly exportFolder: string;
  /** Undefined: there is no ledger to write to. */
  readonly ledger: string | undefined;
  readonly backups: BackupSettings | undefined;
}

/** In the export's folder once the deletion has begun. The same command then resumes the deletion. */
const BEGUN = 'erase-begun.json';
/** On Workers the list of accounts is eventually consistent. */
const LIST_FOLLOWS_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 1_000;

export async function eraseAccount(
  options: EraseOptions,
  service: Service,
  dependencies: Call,
): Promise<void> {
  const { account, exportFolder, ledger } = options;
  const { out } = dependencies;
  const { count, at } = await eraseRecords(options, service, dependencies);
  out(`${account} is erased: ${counted(count, 'record')} deleted, nothing is left.\n`);
  out(`The ledger ${ledger} has recorded it: a salted hash, the time, the counts.\n`);
  out('The audit log keeps the subject and which records the operator changed, without values.\n');
  out(`${exportFolder} now holds the only other copy; hand it over or destroy it.\n`);
  out(`${await backupExpiry(options.backups, at)}\n`);
}

/**
 * Erases without printing, for a program with its own output. Resolves with the number of
 * deleted records, and the time when none was left: milliseconds since 1970, UTC.
 */
export async function eraseRecords(
  options: EraseOptions,
  service: Service,
  dependencies: Call,
): Promise<{ readonly count: number; readonly at: number }> {
  const { account, exportFolder, ledger } = options;
  await service.reach();
  if (ledger !== undefined) await expectWritable(ledger);
  const records =
    (await begunBefore(account, exportFolder)) ??
    (await exportFirst(options, service, dependencies));
  const total = Object.values(records).reduce((sum, count) => sum + count, 0);
  const progress = startProgress(dependencies, { event: 'erase_progress', noun: 'records', total });
  try {
    const run = service.forRun(runId('erase', dependencies));
    for (const collection of COLLECTION_NAMES.filter((name) => records[name])) {
      const path = join(exportFolder, `${collection}.ndjson`);
      await deleteExported(path, run, run.records(account, collection), progress);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted('stopped while deleting; run the same command to resume');
  } finally {
    progress.stop();
  }
  await expectNothingLeft(account, service, dependencies);
  const at = dependencies.now();
  if (ledger !== undefined) {
    const erased = new Date(at).toISOString();
    await addToLedger(ledger, { subject: account, erased, records });
  }
  return { count: total, at };
}

async function exportFirst(
  { account, exportFolder }: EraseOptions,
  service: Service,
  dependencies: Call,
): Promise<RecordCounts> {
  const options = { account, folder: exportFolder, collections: COLLECTION_NAMES, csv: undefined };
  const { records, changed } = await exportAccount(options, service, dependencies);
  if (changed) {
    throw new CommandError(
      `nothing was deleted: ${account} changed during the export; end its access at the identity provider, then run this again with a new folder`,
    );
  }
  const begun = `${JSON.stringify({ account, records })}\n`;
  const how = { flag: 'wx', mode: OWNER_ONLY, flush: true } as const;
  await writeFile(join(exportFolder, BEGUN), begun, how);
  return records;
}

/** What an interrupted erasure exported to the folder; undefined if there was none. */
async function begunBefore(account: string, folder: string): Promise<RecordCounts | undefined> {
  const text = await readFile(join(folder, BEGUN), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const begun: { account?: string; records?: RecordCounts } = JSON.parse(text);
  if (begun.account === account) return begun.records;
  throw new CommandError(
    `${folder} belongs to an erasure of ${JSON.stringify(begun.account)}; name another folder`,
  );
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

/** Checks that the account is empty, and waits until it has left the list of accounts. */
async function expectNothingLeft(
  account: string,
  service: Service,
  { now, interrupted }: Call,
): Promise<void> {
  const { accounts } = service.client;
  const left = await service.withRetry(() => accounts.read(account)).catch(expectGone);
  if (left !== undefined) {
    throw new CommandError(
      `${account} has ${counted(left.record_count, 'record')} that the export lacks, created since. End its access at the identity provider, then erase again with a new folder`,
    );
  }
  const begun = now();
  for (;;) {
    const subjects = await subjectsOf(service, account);
    if (!subjects.includes(account)) return;
    if (now() - begun > LIST_FOLLOWS_WITHIN_MS || interrupted.aborted) {
      throw new CommandError(
        `every record of ${account} is deleted, but the list of accounts still has it; run the same command again`,
      );
    }
    await pause(LOOK_AGAIN_MS, interrupted);
  }
}
