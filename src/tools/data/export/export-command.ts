// `export`: writes everything of one account into a new folder: a file for each
// collection that has records, the payments computed from its orders, its audit events.

import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import type { JsonObject } from '../../../core/domain/json.js';
import { paymentOf } from '../../../core/domain/payment.js';
import type { AuditEvent } from '../../../operator-client.js';
import type { RecordCounts } from '../../../storage/erasures/ledger.js';
import type { CommandDependencies } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { type Progress, startProgress } from '../../program/progress.js';
import { CommandError, systemCodeOf } from '../failures.js';
import type { Service } from '../service.js';
import { pagesOf, recordPages } from '../walk.js';
import { addColumns, type CsvStyle, csvHeader, csvRow } from './csv-lines.js';
import { OWNER_ONLY, TurnedFile } from './turned-file.js';

export interface ExportOptions {
  readonly account: string;
  /** Its files appear all at once, when the export is whole. */
  readonly folder: string;
  readonly collections: readonly CollectionName[];
  /** Undefined: NDJSON. */
  readonly csv: CsvStyle | undefined;
}

export interface Exported {
  readonly records: RecordCounts;
  readonly auditEvents: number;
  /** Whether records came or went during the export. */
  readonly changed: boolean;
}

type Row = Readonly<Record<string, unknown>>;

export async function exportAccount(
  options: ExportOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<Exported> {
  const { account, folder, collections } = options;
  let partial: string | undefined;
  try {
    await service.reach();
    const before = await marksOf(options, service);
    const total = before.reduce((sum, { total }) => sum + total, 0);
    if (total === 0) {
      throw new CommandError(
        `the account ${JSON.stringify(account)} has no record in ${collections.join(', ')}; check --account: it is the subject, not a name`,
      );
    }
    partial = await partialFolder(folder);
    const there = { ...options, folder: partial };
    const counts = await written(there, total, service, dependencies);
    const after = await marksOf(options, service);
    await rename(partial, folder);
    return { ...counts, changed: JSON.stringify(after) !== JSON.stringify(before) };
  } catch (error) {
    if (partial !== undefined) await rm(partial, { recursive: true, force: true });
    throw error instanceof Interrupted ? new Interrupted('stopped; nothing was written') : error;
  }
}

async function written(
  options: ExportOptions,
  total: number,
  service: Service,
  dependencies: CommandDependencies,
): Promise<Pick<Exported, 'records' | 'auditEvents'>> {
  const { account, collections } = options;
  const counts = { event: 'export_progress', noun: 'records', total };
  const progress = startProgress(dependencies, counts);
  try {
    const records: RecordCounts = {};
    for (const collection of collections) {
      const pages = recordPages(service, account, collection);
      records[collection] = await writeRows(options, collection, pages, collection, progress);
    }
    const events = auditEventsOf(account, new Set<string>(collections), service);
    return { records, auditEvents: await writeRows(options, 'audit', events) };
  } finally {
    progress.stop();
  }
}

/** The log has no pages by account: one walk over the whole log finds its events. */
async function* auditEventsOf(account: string, resources: Set<string>, service: Service) {
  const read = (query: { page: number; page_size: number }) => service.client.audit.list(query);
  for await (const page of pagesOf<AuditEvent>(service, read, ({ id }) => String(id))) {
    yield page.filter((event) => event.owner_sub === account && resources.has(event.resource));
  }
}

/** Writes the rows of the pages, oldest first; no file if there are none. Resolves with their number. */
async function writeRows(
  options: ExportOptions,
  name: string,
  pages: AsyncIterable<readonly object[]>,
  collection?: CollectionName,
  progress?: Progress,
): Promise<number> {
  const turned = await TurnedFile.create(join(options.folder, `${name}.part`));
  const columns = new Set<string>();
  let count = 0;
  try {
    for await (const page of pages) {
      if (options.csv !== undefined) for (const row of page) addColumns(columns, row);
      await turned.add(page.map((row) => JSON.stringify(row)));
      count += page.length;
      progress?.add(page.length);
    }
    if (count === 0) return 0;
    await writeFile(options, name, turned, columns, (row) => row, collection);
    if (collection === 'orders') {
      const names = new Set(Object.keys(paymentOf({})));
      const toPayment = (order: Row): Row => ({ ...paymentOf(order as JsonObject) });
      await writeFile(options, 'payments', turned, names, toPayment);
    }
    return count;
  } finally {
    await turned.remove();
  }
}

/** A new file that only its owner may read, on disk when this resolves. */
async function writeFile(
  { folder, csv }: ExportOptions,
  name: string,
  turned: TurnedFile,
  columns: ReadonlySet<string>,
  rowOf: (row: Row) => Row,
  collection?: CollectionName,
): Promise<void> {
  const lineOf = (row: Row) =>
    csv === undefined ? `${JSON.stringify(row)}\n` : csvRow(row, columns, csv, collection);
  const ending = csv === undefined ? 'ndjson' : 'csv';
  const file = await open(join(folder, `${name}.${ending}`), 'wx', OWNER_ONLY);
  try {
    if (csv !== undefined) await file.appendFile(csvHeader(columns, csv));
    for await (const page of turned.pages()) {
      const rows = page.split('\n').filter((line) => line !== '');
      await file.appendFile(rows.map((line) => lineOf(rowOf(JSON.parse(line)))).join(''));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The number of records and the id of the newest one: both stay the same if no record comes or goes. */
async function marksOf({ account, collections }: ExportOptions, service: Service) {
  const marks: { readonly total: number; readonly newest: string | undefined }[] = [];
  for (const collection of collections) {
    const records = service.records(account, collection);
    const { items, pagination } = await service.patiently(() => records.list({ page_size: 1 }));
    marks.push({ total: pagination.total, newest: items[0]?.id });
  }
  return marks;
}

/** A new folder beside the wanted one, which must be free. Only its owner may enter it. */
async function partialFolder(folder: string): Promise<string> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    const found = await readdir(folder).catch(() => undefined);
    if (found !== undefined && found.length > 0) {
      throw new CommandError(`the folder ${folder} is not empty; name a new one`);
    }
    // An empty one would be in the way of the new one on Windows.
    if (found !== undefined) await rmdir(folder);
    return await mkdtemp(join(dirname(folder), `${basename(folder)}.part-`));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `the folder ${folder} cannot be made (${systemCodeOf(error)}); name another one with --to`,
    );
  }
}

/** One line for the person at the terminal. */
export function exportedText({ records, auditEvents }: Exported): string {
  const counts = Object.entries(records).map(([name, count]) => `${name} ${count}`);
  return [...counts, `audit events ${auditEvents}`].join(', ');
}
