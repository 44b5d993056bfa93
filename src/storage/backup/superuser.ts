// Refuses paths that are unsafe for the superuser: another user could replace a folder or a file of
// the path by a link to anywhere.

import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OTHERS_WRITE = 0o022;
/** In a sticky folder, such as /tmp, only a file's owner can replace it. */
const STICKY = 0o1000;

export const isSuperuser = () => process.getuid?.() === 0;

/** Throws if this runs as the superuser and another user could replace a part of the path, whose end may be missing. */
export function assertSafePath(path: string): void {
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
