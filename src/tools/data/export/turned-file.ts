// Takes rows page by page, newest first, and gives them back oldest first. So an import in the
// file's order creates the records in their original order.

import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const OWNER_ONLY = 0o600;

/** Keeps the pages in a file that is removed afterwards. Memory holds only the place where each page begins. */
export class TurnedFile {
  readonly #path = join(tmpdir(), `rows-${crypto.randomUUID()}`);
  readonly #starts: number[] = [0];
  #file: FileHandle | undefined;

  /** `rows`: newest first. */
  async add(rows: readonly object[]): Promise<void> {
    this.#file ??= await open(this.#path, 'wx+', OWNER_ONLY);
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).reverse();
    const bytes = Buffer.from(lines.join(''));
    await this.#file.appendFile(bytes);
    this.#starts.push((this.#starts.at(-1) ?? 0) + bytes.length);
  }

  /** The rows as JSON texts in pages, oldest first. */
  async *pages(): AsyncGenerator<string[], void> {
    for (let index = this.#starts.length - 2; index >= 0; index--) {
      const start = this.#starts[index] ?? 0;
      const bytes = Buffer.alloc((this.#starts[index + 1] ?? start) - start);
      await this.#file?.read(bytes, 0, bytes.length, start);
      yield bytes.toString().split('\n').slice(0, -1);
    }
  }

  async remove(): Promise<void> {
    await this.#file?.close();
    await rm(this.#path, { force: true });
  }
}
