// "Where the superuser may work": only where no other user can put a link in the place of a
// folder or of a file. Such a link could lead anywhere.

import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const SUPERUSER = 0;
const GROUP_OR_OTHERS_WRITE = 0o022;
/** With it, as in /tmp, only the maker of a file can rename or remove it. */
const STICKY = 0o1000;

export function isSuperuser(): boolean {
  return process.getuid?.() === SUPERUSER;
}

/**
 * The path without links; parts at its end may be missing. Throws, saying what to do, if the
 * superuser asks and the path leads through a link, or another user owns a part of it or may
 * write to its folders.
 */
export function placeOf(path: string): string {
  const absolute = resolve(path);
  const place = withoutLinks(absolute);
  if (!isSuperuser()) return place;
  if (place !== absolute) {
    throw new Error(`${path} leads through a link, and the superuser runs this; name ${place}`);
  }
  for (let at = place; ; at = dirname(at)) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found !== undefined && found.uid !== SUPERUSER) {
      throw new Error(
        `${at} belongs to the user ${found.uid}, and the superuser runs this; run it as that user: runuser -u "$(id -un ${found.uid})" -- COMMAND`,
      );
    }
    const openness = found?.isDirectory() ? found.mode & (GROUP_OR_OTHERS_WRITE | STICKY) : 0;
    if (openness !== 0 && (openness & STICKY) === 0) {
      throw new Error(
        `the folder ${at} belongs to the superuser and others may write to it; run this as the user of the service instead`,
      );
    }
    if (at === dirname(at)) return place;
  }
}

function withoutLinks(absolute: string): string {
  try {
    return realpathSync(absolute);
  } catch (error) {
    const folder = dirname(absolute);
    if (folder === absolute) throw error;
    return join(withoutLinks(folder), basename(absolute));
  }
}
