// The judged rows on disk, so that exactly these are sent, forwards or backwards, and
// memory does not grow with the file. The file loses its name when it is opened, so a
// killed import leaves nothing.

import { type FileHandle, open, rm } from 'node:fs/promises';

export interface SpooledRow {
  readonly row: number;
  readonly line: number;
  readonly body: string;
}

const OWNER_ONLY = 0o600;
const WRITE_BYTES = 262_144;

export class Spool {
  readonly #file: FileHandle;
  readonly #path: string;
  /** The place where each row begins, and the end of the last one. */
  #starts = new Float64Array(1024);
  #length = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #end = 0;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  static async create(path: string): Promise<Spool> {
    const file = await open(path, 'wx+', OWNER_ONLY);
    // If the system cannot remove an open file, it is removed when it is closed.
    await rm(path, { force: true }).catch(() => {});
    return new Spool(file, path);
  }

  get length(): number {
    return this.#length;
  }

  async add({ row, line, body }: SpooledRow): Promise<void> {
    const bytes = Buffer.from(`${row}\t${line}\t${body}`);
    if (this.#length + 1 >= this.#starts.length) {
      const larger = new Float64Array(2 * this.#starts.length);
      larger.set(this.#starts);
      this.#starts = larger;
    }
    this.#end += bytes.length;
    this.#starts[++this.#length] = this.#end;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= WRITE_BYTES) await this.finish();
  }

  /** Writes the rows that are still in memory. Call it before the first row is read. */
  async finish(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    await this.#file.appendFile(bytes);
  }

  /** `index`: from 0, in the order in which rows were added. */
  async read(index: number): Promise<SpooledRow> {
    const start = this.#starts[index] ?? 0;
    const bytes = Buffer.alloc((this.#starts[index + 1] ?? start) - start);
    await this.#file.read(bytes, 0, bytes.length, start);
    const text = bytes.toString();
    const [row = '', line = ''] = text.split('\t', 2);
    return { row: Number(row), line: Number(line), body: text.slice(row.length + line.length + 2) };
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}
