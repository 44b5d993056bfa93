// `export`: writes all data of an account into a new folder: a file for each collection that has
// records, the payments computed from its orders, and its audit events.

import { mkdir, mkdtemp, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { COLLECTION_NAMES, type CollectionName } from '../../../core/domain/collection-name.js';
import { paymentOf } from '../../../core/domain/payment.js';
import type { AuditEvent } from '../../../operator-client.js';
import { OWNER_ONLY_FILE } from '../../../storage/file/durable-files.js';
import { Interrupted } from '../../program/command.js';
import { CommandError, errorCode } from '../errors.js';
import { paginate, recordPages } from '../paginate.js';
import { recordsOf, type ServiceClient, type StoredRecord } from '../service-client.js';
import { type CsvStyle, csvHeader, csvRow } from './csv-lines.js';
import { oldestFirst } from './reverse-file.js';

export interface ExportOptions {
  readonly account: string;
  /** Created when the export is complete. */
  readonly folder: string;
  readonly collections: readonly CollectionName[];
  /** Undefined: NDJSON. */
  readonly csv: CsvStyle | undefined;
}

/**
 * Resolves with the numbers of records, a summary for the terminal, and whether records were created or
 * deleted during the export.
 */
export async function exportAccount(options: ExportOptions, service: ServiceClient) {
  const { account, folder, collections, csv } = options;
  const partial = await partialFolder(folder);
  try {
    await service.checkReachable();
    const { total, text: before } = await snapshotOf(options, service);
    if (total === 0) {
      throw new CommandError(
        `the account ${JSON.stringify(account)} has no record in ${collections.join(', ')}; check --account: it is the subject, not a name`,
      );
    }
    const records: Partial<Record<CollectionName, number>> = {};
    for (const collection of collections) {
      const pages = recordPages(service, account, collection);
      records[collection] = await writeRows(pages, partial, collection, csv);
    }
    if (records['orders']) {
      const payments = paymentPages(recordPages(service, account, 'orders'));
      await writeRows(payments, partial, 'payments', csv);
    }
    const auditEvents = await writeRows(eventPages(options, service), partial, 'audit', csv);
    const after = await snapshotOf(options, service);
    await rename(partial, folder);
    const counts = Object.entries({ ...records, 'audit events': auditEvents });
    const summary = counts.map(([name, count]) => `${name} ${count}`).join(', ');
    return { records, total, summary, changed: after.text !== before };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error instanceof Interrupted ? new Interrupted('stopped; nothing was written') : error;
  }
}

async function* paymentPages(orders: AsyncIterable<StoredRecord[]>) {
  for await (const page of orders) yield page.map(paymentOf);
}

/** Reads the whole audit log, which can't be listed by account. */
async function* eventPages({ account, collections }: ExportOptions, service: ServiceClient) {
  const isOwn = ({ owner_sub, resource }: AuditEvent) =>
    owner_sub === account && collections.some((name) => name === resource);
  for await (const page of paginate(service, service.client.audit.list, ({ id }) => String(id))) {
    yield page.filter(isOwn);
  }
}

/**
 * Writes rows, which are listed newest first, to a new file that only its owner can read, oldest first.
 * Writes no file if there are no rows. Resolves with their number.
 */
async function writeRows(
  pages: AsyncIterable<readonly object[]>,
  folder: string,
  name: CollectionName | 'payments' | 'audit',
  csv: CsvStyle | undefined,
): Promise<number> {
  /** The properties of all rows, in order of appearance. */
  const columns = new Set<string>();
  const collection = COLLECTION_NAMES.find((each) => each === name);
  let count = 0;
  async function* countedPages() {
    for await (const page of pages) {
      for (const name of page.flatMap(Object.keys)) columns.add(name);
      count += page.length;
      yield page;
    }
  }
  async function* text() {
    let isFirst = true;
    for await (const page of oldestFirst(countedPages())) {
      // By the first page, all rows have been read, so every column is known.
      if (csv !== undefined && isFirst) yield csvHeader(columns, csv);
      isFirst = false;
      const lines = page.map((json) =>
        csv === undefined ? `${json}\n` : csvRow(JSON.parse(json), columns, csv, collection),
      );
      yield lines.join('');
    }
  }
  const file = join(folder, `${name}.${csv === undefined ? 'ndjson' : 'csv'}`);
  await writeFile(file, text(), { flag: 'wx', mode: OWNER_ONLY_FILE, flush: true });
  if (count === 0) await rm(file);
  return count;
}

/** The number of records, and a text that changes when a record is created or deleted. */
async function snapshotOf({ account, collections }: ExportOptions, service: ServiceClient) {
  let [total, text] = [0, ''];
  for (const collection of collections) {
    const records = recordsOf(service.client, account, collection);
    const { items, pagination } = await service.withRetry(() => records.list({ page_size: 1 }));
    total += pagination.total;
    text += `${pagination.total} ${items[0]?.id}, `;
  }
  return { total, text };
}

/** Creates a folder next to `folder`, which must be missing or empty. Only its owner can enter it. */
async function partialFolder(folder: string): Promise<string> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    // On Windows an empty folder would block the rename. A folder with files fails the export.
    await rmdir(folder).catch((error) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    return await mkdtemp(join(dirname(folder), `${basename(folder)}.part-`));
  } catch (error) {
    throw new CommandError(
      `the folder ${folder} cannot be created (${errorCode(error)}); name a new or empty one`,
    );
  }
}
