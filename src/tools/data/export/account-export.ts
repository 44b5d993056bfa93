// One account in one folder: a file for each collection, the payments computed from
// its orders, and its audit events.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import type { JsonObject } from '../../../core/domain/json.js';
import { paymentOf } from '../../../core/domain/payment.js';
import type { AuditEvent } from '../../../operator-client.js';
import type { Progress } from '../../program/progress.js';
import type { Service, StoredRecord } from '../service.js';
import { pagesOf } from '../walk.js';
import { Columns, type CsvStyle, csvHeader, csvRow } from './csv-lines.js';
import type { ExportedFile, ExportFormat } from './manifest.js';
import { HashedFile, OWNER_ONLY, TurnedFile } from './turned-file.js';

export const OWNER_ONLY_FOLDER = 0o700;

export interface AccountExportOptions {
  readonly service: Service;
  readonly account: string;
  /** The folder exists and is empty. */
  readonly folder: string;
  readonly collections: readonly CollectionName[];
  readonly format: ExportFormat;
  readonly style: CsvStyle;
  readonly progress: Progress;
}

const AUDIT_PROPERTIES: readonly (keyof AuditEvent)[] = [
  'id',
  'actor',
  'action',
  'resource',
  'record_id',
  'owner_sub',
  'timestamp',
  'changed',
];
const PAYMENT_PROPERTIES = Object.keys(paymentOf({}));

export class AccountExport {
  readonly files: ExportedFile[] = [];
  readonly #options: AccountExportOptions;
  #auditEvents = 0;

  constructor(options: AccountExportOptions) {
    this.#options = options;
  }

  /** Writes the records' files, oldest first. Rejects if one of that name is there. */
  async writeRecords(): Promise<void> {
    const { folder, collections } = this.#options;
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    for (const collection of collections) await this.#writeCollection(collection);
  }

  /** Adds events, newest first. */
  async addAudit(events: readonly AuditEvent[]): Promise<void> {
    const { format, style } = this.#options;
    const columns = columnsNamed(AUDIT_PROPERTIES);
    const collections: ReadonlySet<string> = new Set(this.#options.collections);
    const wanted = events.filter(({ resource }) => collections.has(resource));
    const lines = wanted.map((event) =>
      format === 'csv' ? csvRow({ ...event }, columns, style) : `${JSON.stringify(event)}\n`,
    );
    const isFirst = this.#auditEvents === 0 && format === 'csv';
    const text = (isFirst ? csvHeader(columns, style) : '') + lines.join('');
    // The file is opened for each page: there may be more accounts than a process may have open files.
    await appendFile(this.#path('audit'), text, { mode: OWNER_ONLY });
    this.#auditEvents += wanted.length;
  }

  /** Call it after the last event. */
  async finishAudit(): Promise<void> {
    if (this.#auditEvents === 0) await this.addAudit([]);
    const path = this.#path('audit');
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
    const file = await open(path, 'r+');
    await file.sync();
    await file.close();
    const name = this.#name('audit');
    const sha256 = hash.digest('hex');
    this.files.push({ name, content: 'audit', records: this.#auditEvents, bytes, sha256 });
  }

  async #writeCollection(collection: CollectionName): Promise<void> {
    const { service, account, progress, format } = this.#options;
    const turned = await TurnedFile.create(`${this.#path(collection)}.part`);
    const columns = new Columns();
    let records = 0;
    try {
      const source = service.records(account, collection);
      for await (const page of pagesOf<StoredRecord>(
        service,
        (query) => source.list(query),
        ({ id }) => id,
      )) {
        if (format === 'csv') for (const record of page) columns.add(record);
        await turned.add(page.map((record) => JSON.stringify(record)));
        records += page.length;
        progress.add(page.length);
      }
      await this.#writeFile(collection, turned, records, columns);
      if (collection === 'orders') {
        const payments = columnsNamed(PAYMENT_PROPERTIES);
        const toPayment = (order: JsonObject) => ({ ...paymentOf(order) });
        await this.#writeFile('payments', turned, records, payments, toPayment);
      }
    } finally {
      await turned.remove();
    }
  }

  async #writeFile(
    content: ExportedFile['content'],
    turned: TurnedFile,
    records: number,
    columns: Columns,
    of?: (record: JsonObject) => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { format, style } = this.#options;
    const file = await HashedFile.create(this.#path(content));
    if (format === 'csv') await file.write(csvHeader(columns, style));
    for await (const page of turned.pages()) {
      if (format === 'ndjson' && of === undefined) {
        await file.write(page);
        continue;
      }
      for (const line of page.split('\n')) {
        if (line === '') continue;
        const stored: JsonObject = JSON.parse(line);
        const record = of === undefined ? stored : of(stored);
        const text =
          format === 'csv' ? csvRow(record, columns, style) : `${JSON.stringify(record)}\n`;
        await file.write(text);
      }
    }
    const sha256 = await file.close();
    this.files.push({ name: this.#name(content), content, records, bytes: file.bytes, sha256 });
  }

  #name(content: ExportedFile['content']): string {
    return `${content}.${this.#options.format}`;
  }

  #path(content: ExportedFile['content']): string {
    return join(this.#options.folder, this.#name(content));
  }
}

function columnsNamed(names: readonly string[]): Columns {
  const columns = new Columns();
  columns.add(Object.fromEntries(names.map((name) => [name, ''])));
  return columns;
}
