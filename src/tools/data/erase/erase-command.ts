// `erase`: exports an account, deletes the exported records, checks in every view that
// nothing is left, and writes the account into the ledger.

import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_NAMES } from '../../../core/domain/collection-name.js';
import type { BackupSettings } from '../../../hosts/settings.js';
import { ApiError } from '../../../operator-client.js';
import {
  addToLedger,
  expectWritable,
  type RecordCounts,
} from '../../../storage/erasures/ledger.js';
import { type CommandDependencies, pause } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { startProgress } from '../../program/progress.js';
import { exportAccount } from '../export/export-command.js';
import { CommandError } from '../failures.js';
import { runId, type Service } from '../service.js';
import { several } from '../several.js';
import { pagesOf } from '../walk.js';
import { backupExpiry } from './backup-expiry.js';

export interface EraseOptions {
  readonly account: string;
  readonly exportFolder: string;
  /** Undefined: there is no ledger to write to. */
  readonly ledger: string | undefined;
  readonly backups: BackupSettings | undefined;
}

/** This file in the export's folder says that the deletion has begun. The same command then continues it. */
const BEGUN = 'erase-begun.json';
const CONNECTIONS = 8;
/** On Workers the views across accounts follow a little later. */
const VIEWS_FOLLOW_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 1_000;
const OWNER_ONLY = 0o600;

/** The result of an erasure. */
export interface Erased {
  /** Records that were deleted. */
  readonly count: number;
  /** When nothing was left: milliseconds since 1970, UTC. */
  readonly at: number;
}

export async function eraseAccount(
  options: EraseOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<void> {
  const { account, exportFolder, ledger } = options;
  const { out } = dependencies;
  const { count, at } = await eraseRecords(options, service, dependencies);
  out(`${account} is erased: ${count} records deleted, nothing is left.\n`);
  out(`The ledger ${ledger} has recorded it: a salted hash, the time, the counts.\n`);
  out('The audit log keeps the subject and which records the operator changed, without values.\n');
  out(`${exportFolder} now holds the only other copy; hand it over or destroy it.\n`);
  out(`${await backupExpiry(options.backups, at)}\n`);
}

/** Erases without printing, for a program that informs its operator itself. */
export async function eraseRecords(
  options: EraseOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<Erased> {
  const { account, exportFolder, ledger } = options;
  const { now, randomBytes } = dependencies;
  await service.reach();
  if (ledger !== undefined) await expectWritable(ledger);
  const records =
    (await begunBefore(account, exportFolder)) ??
    (await exportFirst(options, service, dependencies));
  const run = service.forRun(runId('erase', dependencies));
  await deleteExported(records, options, run, dependencies);
  await expectNothingLeft(account, service, dependencies);
  const at = now();
  if (ledger !== undefined) {
    const erased = new Date(at).toISOString();
    await addToLedger(ledger, { subject: account, erased, records }, randomBytes);
  }
  return { count: sumOf(records), at };
}

async function exportFirst(
  { account, exportFolder }: EraseOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<RecordCounts> {
  const { records, changed } = await exportAccount(
    { account, folder: exportFolder, collections: COLLECTION_NAMES, csv: undefined },
    service,
    dependencies,
  );
  if (changed) {
    throw new CommandError(
      `nothing was deleted: ${account} changed during the export; end its access at the identity provider, then run this again with a new folder`,
    );
  }
  const file = await open(join(exportFolder, BEGUN), 'wx', OWNER_ONLY);
  await file.writeFile(`${JSON.stringify({ account, records })}\n`);
  await file.sync();
  await file.close();
  return records;
}

/** What an interrupted erasure has exported; undefined if there is none in the folder. */
async function begunBefore(account: string, folder: string): Promise<RecordCounts | undefined> {
  const text = await readFile(join(folder, BEGUN), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const begun: { account?: string; records?: RecordCounts } = JSON.parse(text);
  if (begun.account === account && begun.records !== undefined) return begun.records;
  throw new CommandError(
    `${folder} belongs to an erasure of ${JSON.stringify(begun.account)}; name another folder`,
  );
}

/** Deletes the exported records and no later ones. A record that is gone already isn't a failure. */
async function deleteExported(
  counts: RecordCounts,
  { account, exportFolder }: EraseOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<void> {
  const what = { event: 'erase_progress', noun: 'records', total: sumOf(counts) };
  const progress = startProgress(dependencies, what);
  try {
    for (const collection of COLLECTION_NAMES.filter((name) => counts[name])) {
      const records = service.records(account, collection);
      const file = await open(join(exportFolder, `${collection}.ndjson`));
      await several(file.readLines(), CONNECTIONS, async (line) => {
        const { id } = JSON.parse(line);
        await service.patiently(() => records.delete(String(id))).catch(expectGone);
        progress.add();
      });
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted('stopped while deleting; run the same command to resume');
  } finally {
    progress.stop();
  }
}

function expectGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}

/** Checks each list of the account, its own view, and the list of all accounts. */
async function expectNothingLeft(
  account: string,
  service: Service,
  { now, interrupted }: CommandDependencies,
): Promise<void> {
  for (const collection of COLLECTION_NAMES) {
    const records = service.records(account, collection);
    const { pagination } = await service.patiently(() => records.list({ page_size: 1 }));
    if (pagination.total > 0) {
      throw new CommandError(
        `${account} has ${pagination.total} records in ${collection} that are not in the export: they were created since. End its access at the identity provider, then erase again with a new folder`,
      );
    }
  }
  const { accounts } = service.client;
  const list = (query: { page: number; page_size: number }) =>
    accounts.list({ ...query, q: account });
  const isInViews = async () => {
    if (await service.patiently(() => accounts.read(account)).catch(expectGone)) return true;
    for await (const page of pagesOf(service, list, ({ owner_sub }) => owner_sub)) {
      if (page.some(({ owner_sub }) => owner_sub === account)) return true;
    }
    return false;
  };
  const begun = now();
  while (await isInViews()) {
    if (now() - begun > VIEWS_FOLLOW_WITHIN_MS || interrupted.aborted) {
      throw new CommandError(
        `every record of ${account} is deleted, but the list of accounts still has it; run the same command again`,
      );
    }
    await pause(LOOK_AGAIN_MS, interrupted);
  }
}

function sumOf(counts: RecordCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
