// `export`: writes everything of one account into a new folder: a file for each
// collection that has records, the payments computed from its orders, its audit events.

import { mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import type { JsonObject } from '../../../core/domain/json.js';
import { paymentOf } from '../../../core/domain/payment.js';
import type { AuditEvent } from '../../../operator-client.js';
import type { RecordCounts } from '../../../storage/erasures/ledger.js';
import type { CommandDependencies } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { startProgress } from '../../program/progress.js';
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
  /** Whether records were created or deleted during the export. */
  readonly changed: boolean;
}

type Row = Readonly<Record<string, unknown>>;

export async function exportAccount(
  options: ExportOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<Exported> {
  const { account, folder, collections, csv } = options;
  let partial: string | undefined;
  let progress: ReturnType<typeof startProgress> | undefined;
  const files: ExportedRows[] = [];
  const fileOf = (collection?: CollectionName) => {
    const file = new ExportedRows(csv, collection);
    files.push(file);
    return file;
  };
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
    progress = startProgress(dependencies, { event: 'export_progress', noun: 'records', total });
    const records: RecordCounts = {};
    for (const collection of collections) {
      const file = fileOf(collection);
      for await (const page of recordPages(service, account, collection)) {
        await file.add(page);
        progress.add(page.length);
      }
      records[collection] = await file.write(partial, collection);
    }
    const events = fileOf();
    // The log has no pages by account: one walk over the whole log finds its events.
    const read = (query: { page: number; page_size: number }) => service.client.audit.list(query);
    for await (const page of pagesOf<AuditEvent>(service, read, ({ id }) => String(id))) {
      const isOwn = ({ owner_sub, resource }: AuditEvent) =>
        owner_sub === account && collections.some((name) => name === resource);
      await events.add(page.filter(isOwn));
    }
    const auditEvents = await events.write(partial, 'audit');
    const after = await marksOf(options, service);
    await rename(partial, folder);
    return { records, auditEvents, changed: JSON.stringify(after) !== JSON.stringify(before) };
  } catch (error) {
    if (partial !== undefined) await rm(partial, { recursive: true, force: true });
    throw error instanceof Interrupted ? new Interrupted('stopped; nothing was written') : error;
  } finally {
    progress?.stop();
    for (const file of files) await file.remove();
  }
}

/**
 * The rows of one file: added by pages, newest first, and given back as its text, oldest first.
 * `remove` ends it.
 */
export class ExportedRows {
  count = 0;
  readonly #csv: CsvStyle | undefined;
  readonly #collection: CollectionName | undefined;
  readonly #turned = new TurnedFile();
  readonly #columns = new Set<string>();

  /** `collection`: of records. `csv`: undefined for NDJSON. */
  constructor(csv: CsvStyle | undefined, collection?: CollectionName) {
    this.#csv = csv;
    this.#collection = collection;
  }

  async add(rows: readonly object[]): Promise<void> {
    if (this.#csv !== undefined) for (const row of rows) addColumns(this.#columns, row);
    if (rows.length > 0) await this.#turned.add(rows);
    this.count += rows.length;
  }

  /** The text of the file, in pieces. `payments`: those of the orders. */
  async *text(payments = false): AsyncGenerator<string, void> {
    const csv = this.#csv;
    const columns = payments ? new Set(Object.keys(paymentOf({}))) : this.#columns;
    const collection = payments ? undefined : this.#collection;
    if (csv !== undefined) yield csvHeader(columns, csv);
    for await (const page of this.#turned.pages()) {
      const lines = page.map((json) => {
        const row: Row = payments
          ? { ...paymentOf(JSON.parse(json) as JsonObject) }
          : JSON.parse(json);
        return csv === undefined
          ? `${JSON.stringify(row)}\n`
          : csvRow(row, columns, csv, collection);
      });
      yield lines.join('');
    }
  }

  remove(): Promise<void> {
    return this.#turned.remove();
  }

  /** Writes the file, and the payments of orders, unless there are no rows. Resolves with their number. */
  async write(folder: string, name: string): Promise<number> {
    if (this.count === 0) return 0;
    await this.#writeFile(folder, name, this.text());
    if (this.#collection === 'orders') await this.#writeFile(folder, 'payments', this.text(true));
    return this.count;
  }

  /** A new file that only its owner may read, on disk when this resolves. */
  async #writeFile(folder: string, name: string, text: AsyncIterable<string>): Promise<void> {
    const ending = this.#csv === undefined ? 'ndjson' : 'csv';
    const how = { flag: 'wx', mode: OWNER_ONLY, flush: true } as const;
    await writeFile(join(folder, `${name}.${ending}`), text, how);
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
    // On Windows an empty one would block the new one.
    if (found !== undefined) await rmdir(folder);
    return await mkdtemp(join(dirname(folder), `${basename(folder)}.part-`));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `the folder ${folder} cannot be made (${systemCodeOf(error)}); name another one with --to`,
    );
  }
}

/** One line for the terminal. */
export function exportedText({ records, auditEvents }: Exported): string {
  const counts = Object.entries(records).map(([name, count]) => `${name} ${count}`);
  return [...counts, `audit events ${auditEvents}`].join(', ');
}
