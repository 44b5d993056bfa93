// Notices that the open database file is no longer the one at its path: deleted, replaced, or
// its disk unmounted. SQLite would go on, and with the process every later write would end.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const LOOK_MS = 1_000;

export interface FileWatchOptions {
  /** Path of the file, which is open. */
  readonly path: string;
  /** Whether a log must be beside it. Litestream may write it back and let it go. */
  readonly hasLog: boolean;
  /** Called once, with one sentence. */
  readonly onLost: (reason: string) => void;
}

export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #opened: string | undefined;
  readonly #timer: NodeJS.Timeout;
  #logMissing = 0;
  #isOver = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#opened = identityOf(statSync(options.path, { bigint: true }));
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Asks for the file by its name: opening and closing it would drop the lock on it. */
  async look(): Promise<void> {
    if (this.#isOver) return;
    const reason = await this.#finding();
    if (reason === undefined || this.#isOver) return;
    this.stop();
    this.#options.onLost(reason);
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  async #finding(): Promise<string | undefined> {
    const { path, hasLog } = this.#options;
    const found = await present(path);
    if (found === 'unknown') return undefined;
    if (found === undefined) return `the database file ${path} is gone, or its disk is`;
    if (found !== this.#opened) return `another file is in the place of the database file ${path}`;
    if (!hasLog) return undefined;
    // A new connection makes a new log: it may be missing for a moment.
    const log = await present(`${path}-wal`);
    this.#logMissing = log === undefined ? this.#logMissing + 1 : 0;
    return this.#logMissing > 1 ? `the log ${path}-wal is gone` : undefined;
  }
}

/** Undefined where there is no such file; `unknown` where the system does not tell. */
async function present(path: string): Promise<string | undefined> {
  try {
    return identityOf(await stat(path, { bigint: true }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unknown';
  }
}

function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev} ${ino}`;
}
