// Takes lines page by page, newest first, and writes them to disk oldest first. So an
// import in the file's order creates the records in their original order.

import { type FileHandle, open, rm } from 'node:fs/promises';

export const OWNER_ONLY = 0o600;

/** Keeps the pages in a file that is removed afterwards. Memory holds only the place where each page begins. */
export class TurnedFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #starts: number[] = [0];

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<TurnedFile> {
    return new TurnedFile(path, await open(path, 'wx+', OWNER_ONLY));
  }

  /** `lines`: newest first, without line ends. */
  async add(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(
      lines
        .map((line) => `${line}\n`)
        .reverse()
        .join(''),
    );
    await this.#file.appendFile(bytes);
    this.#starts.push((this.#starts.at(-1) ?? 0) + bytes.length);
  }

  /** The pages, oldest first, each as the text of its lines. */
  async *pages(): AsyncGenerator<string, void> {
    for (let index = this.#starts.length - 2; index >= 0; index--) {
      const start = this.#starts[index] ?? 0;
      const bytes = Buffer.alloc((this.#starts[index + 1] ?? start) - start);
      await this.#file.read(bytes, 0, bytes.length, start);
      yield bytes.toString();
    }
  }

  async remove(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}
