// Where the superuser may work: only where no other user can put a link, which could lead anywhere, in
// the place of a folder or of a file.

import { constants, lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OTHERS_WRITE = constants.S_IWGRP | constants.S_IWOTH;
const STICKY = 0o1000;

export function isSuperuser(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Throws if the superuser asks and another user could replace a part of the path, because that user
 * owns it, or because it's a folder that others may write to (in a sticky one, such as /tmp, only a
 * file's owner can replace it). The path's end may be missing.
 */
export function expectSafePath(path: string): void {
  if (!isSuperuser()) return;
  for (let at = resolve(path); ; at = dirname(at)) {
    const { uid = 0, mode = 0 } = lstatSync(at, { throwIfNoEntry: false }) ?? {};
    const isFolder = (mode & constants.S_IFMT) === constants.S_IFDIR;
    const isOpen = isFolder && (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
    if (uid !== 0 || isOpen) {
      const user = uid === 0 ? 'USER' : `"$(id -un ${uid})"`;
      const reason = isOpen ? 'is a folder that others may write to' : `belongs to the user ${uid}`;
      throw new Error(
        `the superuser runs this, and ${at} ${reason}; run it as the service's user: runuser -u ${user} -- COMMAND`,
      );
    }
    if (at === dirname(at)) return;
  }
}
