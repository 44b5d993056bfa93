// Whether another program wrote the open database file, such as `cp backup.db service.db`. SQLite
// does not notice: it goes on with pages of two files, and a restart would load that.

import { statSync } from 'node:fs';

/** Asks the file system alone: opening and closing the file would drop the lock on it. */
export class OwnWrites {
  readonly #path: string;
  /** As this process left it. */
  #left: LastWrite;
  #isForeign = false;

  constructor(path: string) {
    this.#path = path;
    this.#left = lastWrite(path);
  }

  /**
   * A change while `write` runs is this process's own, unless the file becomes shorter: this
   * process never shortens it. So a file of a few pages that is replaced within one of its
   * commits is not noticed here; the next backup, which checks its copy, notices it.
   */
  async during<T>(write: () => Promise<T>): Promise<T> {
    this.look();
    try {
      return await write();
    } finally {
      const now = lastWrite(this.#path);
      if (now.size < this.#left.size) this.#isForeign = true;
      this.#left = now;
    }
  }

  /** Whether another program wrote the file, so far. */
  look(): boolean {
    const { size, mtimeNs } = lastWrite(this.#path);
    if (size !== this.#left.size || mtimeNs !== this.#left.mtimeNs) this.#isForeign = true;
    return this.#isForeign;
  }
}

interface LastWrite {
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** A file that is gone is another matter: see the watch of the file's place. */
function lastWrite(path: string): LastWrite {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return { size: found?.size ?? 0n, mtimeNs: found?.mtimeNs ?? 0n };
}
