// Whose rights a restore works with. Started by the superuser in a folder that
// belongs to the service's user, it must do nothing there that this user could
// not do: the user could put a link in the place of a file at any moment.

import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';

/** A user and a group, as numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const SUPERUSER = 0;
const GROUP_OR_OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
/** As Linux has it. */
const LINKS_MAX = 40;

export function isSuperuser(): boolean {
  return process.getuid?.() === SUPERUSER;
}

/**
 * The first user other than the superuser who can change where the path leads:
 * the owner of a folder, or of a link, on the way to it. Undefined where only
 * the superuser can. Rejects where a folder is open to a group or to everybody.
 * Nothing is followed that has not been looked at, so that nobody can change
 * the result meanwhile.
 */
export async function ownerOnTheWay(path: string): Promise<Owner | undefined> {
  const absolute = resolve(path);
  let at = parse(absolute).root;
  const steps = namesOf(absolute);
  for (let links = 0; ; ) {
    const here = await lstat(at);
    // Owning a file does not allow its owner to replace it: that takes rights on its folder.
    if (!here.isDirectory()) return undefined;
    if (here.uid !== SUPERUSER) return { uid: here.uid, gid: here.gid };
    const name = steps.shift();
    if (name === undefined) return undefined;
    expectClosed(at, here.mode);
    // No link is on the way to `at`, so two dots lead to the folder that it is in.
    const next = join(at, name);
    const found = await lstat(next).catch(() => undefined);
    // A missing part will be made by the superuser, in a folder of the superuser.
    if (found === undefined) return undefined;
    if (!found.isSymbolicLink()) {
      at = next;
      continue;
    }
    if (found.uid !== SUPERUSER) return { uid: found.uid, gid: found.gid };
    if (++links > LINKS_MAX) throw new Error(`${path} leads through too many links`);
    const target = await readlink(next);
    if (isAbsolute(target)) at = parse(target).root;
    steps.unshift(...namesOf(target));
  }
}

/**
 * Gives up the superuser's rights for good and goes on as the owner. For a
 * program of its own: it holds for the whole process.
 */
export function goOnAs({ uid, gid }: Owner): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Does the work, which waits for nothing, with the rights of the owner, and takes back those of the superuser. */
export function asOwner<T>({ uid, gid }: Owner, work: () => T): T {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([gid]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return work();
  } finally {
    process.seteuid?.(SUPERUSER);
    process.setegid?.(SUPERUSER);
    process.setgroups?.(groups);
  }
}

/** With the sticky bit, as in /tmp, only the maker of a file can rename or remove it. */
function expectClosed(folder: string, mode: number): void {
  if ((mode & GROUP_OR_OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return;
  throw new Error(
    `the folder ${folder} belongs to the superuser and others may write to it; run this as the user of the service instead`,
  );
}

/** An empty name and a dot lead nowhere: the folder is then looked at twice. */
function namesOf(path: string): string[] {
  return path.split(sep);
}
