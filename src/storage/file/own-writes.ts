// Whether another program wrote the open database file, such as `cp backup.db service.db`. SQLite
// doesn't notice: it continues with pages of two files, and a restart would load that.

import { statSync } from 'node:fs';

/** Size and time of the last write. Opening and closing the file to look at it would drop the lock. */
export function lastWriteOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${found?.size} ${found?.mtimeNs}`;
}

export class OwnWrites {
  readonly #path: string;
  /** As this process left the file. */
  #left: string;
  #isForeign = false;

  constructor(path: string) {
    this.#path = path;
    this.#left = lastWriteOf(path);
  }

  /**
   * A change while `write` runs is this process's own, unless the file becomes shorter: this
   * process never shortens it. So a file that is replaced by one as long within one commit is not
   * noticed here. The next backup, which checks its copy, notices it.
   */
  during<T>(write: () => T): T {
    this.look();
    try {
      return write();
    } finally {
      const now = lastWriteOf(this.#path);
      if (Number.parseInt(now, 10) < Number.parseInt(this.#left, 10)) this.#isForeign = true;
      this.#left = now;
    }
  }

  /** Whether another program wrote the file, so far. */
  look(): boolean {
    if (lastWriteOf(this.#path) !== this.#left) this.#isForeign = true;
    return this.#isForeign;
  }
}
