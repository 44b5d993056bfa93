// The progress of an import, in a file beside the imported one. The numbers of the rows
// are on disk before the first of them is sent; their results follow. So after any end
// the rows without an answer are known.

import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import { objectIn } from '../../../core/json-line.js';
import { CommandError, systemCodeOf } from '../failures.js';

const VERSION = 1;
const OWNER_ONLY = 0o600;

/** Source and target of the import. A journal with another header is not continued. */
export interface ImportTask {
  readonly file: string;
  readonly sha256: string;
  readonly service: string;
  readonly account: string;
  readonly collection: CollectionName;
  /** The options for reading the file, as one text. */
  readonly reading: string;
}

interface Header extends ImportTask {
  readonly version: number;
  /** The number of the newest record before the first row was sent. */
  readonly newest: number;
  readonly begun: string;
}

type Entry =
  | { readonly sending: readonly number[] }
  | { readonly row: number; readonly id: string }
  | { readonly finished: string; readonly created: number; readonly skipped: number };

export interface Finished {
  /** RFC 3339. */
  readonly at: string;
  readonly created: number;
  readonly skipped: number;
}

export class ImportJournal {
  /** Rows whose records are known. */
  readonly created = new Set<number>();
  /** Numbers of the records that this import has created. */
  readonly sequences = new Set<number>();
  /** Rows without an answer that may have been sent, each with the highest record number that was known before. */
  readonly uncertain = new Map<number, number>();
  readonly header: Header;
  finished: Finished | undefined;
  readonly #file: FileHandle;
  #highest: number;
  #pending = '';
  #writing: Promise<void> | undefined;

  private constructor(header: Header, file: FileHandle) {
    this.header = header;
    this.#file = file;
    this.#highest = header.newest;
  }

  /** Continues the journal at the path, or begins one. Only a new journal calls `newest`. */
  static async open(
    path: string,
    task: ImportTask,
    begun: string,
    newest: () => Promise<number>,
  ): Promise<ImportJournal> {
    const header = (await readHeader(path)) ?? {
      version: VERSION,
      ...task,
      newest: await newest(),
      begun,
    };
    expectSame(path, header, task);
    const file = await open(path, 'a', OWNER_ONLY).catch((error: unknown) => {
      throw new CommandError(`the journal ${path} cannot be written (${systemCodeOf(error)})`);
    });
    const journal = new ImportJournal(header, file);
    if ((await stat(path)).size === 0) {
      await file.appendFile(`${JSON.stringify(header)}\n`);
      await file.sync();
    } else {
      await journal.#load(path);
      // A torn last line must not swallow the next one.
      await file.appendFile('\n');
    }
    return journal;
  }

  /** Announces the rows that are sent next. Resolves when the announcement is on disk. */
  async sending(rows: readonly number[]): Promise<void> {
    for (const row of rows) this.uncertain.set(row, this.#highest);
    this.#append({ sending: rows });
    await this.#written();
    await this.#file.datasync();
  }

  /** The row's record is known. This line need not be synced: the next run can find the record again. */
  done(row: number, id: string): void {
    this.#take({ row, id });
    this.#append({ row, id });
  }

  /** The service has refused the row, or the row was not sent: it is certainly not created. */
  notCreated(row: number): void {
    this.uncertain.delete(row);
  }

  async finish(finished: Finished): Promise<void> {
    const { at, created, skipped } = finished;
    this.#append({ finished: at, created, skipped });
    await this.#written();
    await this.#file.sync();
    this.finished = finished;
  }

  async close(): Promise<void> {
    await this.#written();
    await this.#file.close();
  }

  #append(entry: Entry): void {
    this.#pending += `${JSON.stringify(entry)}\n`;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#pending !== '') {
      const text = this.#pending;
      this.#pending = '';
      await this.#file.appendFile(text);
    }
    this.#writing = undefined;
  }

  async #written(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #take(entry: Entry): void {
    if ('sending' in entry) {
      for (const row of entry.sending) {
        if (!this.created.has(row)) this.uncertain.set(row, this.#highest);
      }
    } else if ('row' in entry) {
      const sequence = sequenceOf(this.header.collection, entry.id);
      this.created.add(entry.row);
      this.uncertain.delete(entry.row);
      this.sequences.add(sequence);
      this.#highest = Math.max(this.#highest, sequence);
    } else {
      const { finished: at, created, skipped } = entry;
      this.finished = { at, created, skipped };
    }
  }

  async #load(path: string): Promise<void> {
    let isHeader = true;
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const entry = isHeader ? undefined : objectIn(line);
      isHeader = false;
      if (entry !== undefined) this.#take(entry as Entry);
    }
  }
}

async function readHeader(path: string): Promise<Header | undefined> {
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input })) {
      const header = objectIn(line) as Header | undefined;
      if (header?.version === VERSION) return header;
      throw new CommandError(`${path} is no journal of this program; move it away`);
    }
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  } finally {
    input.destroy();
  }
  return undefined;
}

function expectSame(path: string, header: Header, task: ImportTask): void {
  const began = `its import into ${task.collection} of ${JSON.stringify(task.account)} began on ${header.begun}`;
  const anew = `to import all of it once more, the rows that are there already included, remove ${path}`;
  if (header.sha256 !== task.sha256) {
    throw new CommandError(
      `${task.file} has changed since ${began}; put new rows into a file of their own; ${anew}`,
    );
  }
  if (header.reading !== task.reading) {
    throw new CommandError(
      `${task.file} was read with other options when ${began} (${header.reading}); give the same ones; ${anew}`,
    );
  }
}
