// Notices that the open database file is no longer the one at its path (deleted, replaced, its disk
// unmounted), or that another program wrote it. SQLite itself notices neither, and every later
// write would be lost when the process ends.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const LOOK_MS = 1_000;

export interface FileWatchOptions {
  /** Path of the file, which is open. */
  readonly path: string;
  /** Whether a log must be beside it. Litestream may write it back and let it go. */
  readonly hasLog: boolean;
  /** Resolves with false if another program wrote the file. */
  readonly isIntact: () => Promise<boolean>;
  /** Called once, with one sentence. `isDamaged`: the file is in its place, with another content. */
  readonly onLost: (reason: string, isDamaged: boolean) => void;
}

export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #opened: string | undefined;
  readonly #timer: NodeJS.Timeout;
  #logMissing = 0;
  #isOver = false;
  /** One look at a time: on a disk that hangs they would pile up. */
  #looking: Promise<void> | undefined;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#opened = identityOf(statSync(options.path, { bigint: true }));
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#isOver) return;
    const lost = await this.#findingInPlace();
    const isDamaged = lost === undefined && !(await this.#options.isIntact().catch(() => true));
    if ((lost === undefined && !isDamaged) || this.#isOver) return;
    this.stop();
    const { path, onLost } = this.#options;
    onLost(lost ?? `another program wrote the database file ${path}`, isDamaged);
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  /** Asks for the file by its name: opening and closing it would drop the lock on it. */
  async #findingInPlace(): Promise<string | undefined> {
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

/** Undefined if there is no such file; `unknown` if the system doesn't tell. */
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
