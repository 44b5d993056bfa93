// Where the superuser may work: only where no other user can put a link, which could lead anywhere, in
// the place of a folder or of a file.

import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export function isSuperuser(): boolean {
  return process.getuid?.() === 0;
}

/** Throws if the superuser asks and a part of the path belongs to another user. Its end may be missing. */
export function expectSafePath(path: string): void {
  if (!isSuperuser()) return;
  for (let at = resolve(path); ; at = dirname(at)) {
    const uid = lstatSync(at, { throwIfNoEntry: false })?.uid ?? 0;
    if (uid !== 0) {
      const command = `runuser -u "$(id -un ${uid})" -- COMMAND`;
      const what = `the superuser runs this, and ${at} belongs to the user ${uid}`;
      throw new Error(`${what}; run it as that user: ${command}`);
    }
    if (at === dirname(at)) return;
  }
}
