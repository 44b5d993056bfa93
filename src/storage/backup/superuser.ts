// Where the superuser may work: only where no other user can put a link, which could lead anywhere, in
// the place of a folder or of a file.

import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OTHERS_WRITE = 0o022;
/** In such a folder, as /tmp is, only a file's owner can replace it. */
const STICKY = 0o1000;

export const isSuperuser = () => process.getuid?.() === 0;

/** Throws if the superuser asks and another user could replace a part of the path, whose end may be missing. */
export function expectSafePath(path: string): void {
  if (!isSuperuser()) return;
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    const isOpen = found?.isDirectory() && found.mode & OTHERS_WRITE && !(found.mode & STICKY);
    if (found?.uid || isOpen) {
      const user = found?.uid ? `"$(id -un ${found.uid})"` : 'USER';
      throw new Error(
        `the superuser runs this, and another user can replace ${at}; run it as the service's user: runuser -u ${user} -- COMMAND`,
      );
    }
    if (at === dirname(at)) return;
  }
}
