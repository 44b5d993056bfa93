// Where the superuser may work: only where no other user can put a link in the place of a folder
// or of a file. Such a link could lead anywhere.

import { lstatSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';

const GROUP_OR_OTHERS_WRITE = 0o022;
/** With it, as in /tmp, only the maker of a file can rename or remove it. */
const STICKY = 0o1000;

export function isSuperuser(): boolean {
  return process.getuid?.() === 0;
}

/** If the superuser asks, throws, saying what to do, where another user can change what the path leads to. Its end may be missing. */
export function expectSafePath(path: string): void {
  if (!isSuperuser()) return;
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    const danger = found && dangerOf(found);
    if (danger) throw new Error(`the superuser runs this, and ${at} ${danger}`);
    if (at === dirname(at)) return;
  }
}

function dangerOf(found: Stats): string | undefined {
  const { uid, mode } = found;
  if (found.isSymbolicLink()) return 'is a link; give the path without links (readlink -f)';
  if (uid !== 0) {
    return `belongs to the user ${uid}; run it as that user: runuser -u "$(id -un ${uid})" -- COMMAND`;
  }
  const isOpen = (mode & GROUP_OR_OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
  if (!found.isDirectory() || !isOpen) return undefined;
  return 'is a folder that others may write to; run it as the user of the service';
}
