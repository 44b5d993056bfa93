// The place of the database file: the file that its name means, its folder, and who has it open.
// Folder and file are readable only by the service's user, because they hold customers' data.

import { access, constants, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../backup/file-copy.js';
import { syncFolder } from '../disk-sync.js';
import { explained } from './connection-errors.js';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** Throws for names that mean a database in memory to SQLite: a file of that name is unexpected. */
export function expectFileName(path: string): void {
  if (path === '' || /^(file:)?:memory:|[?&]mode=memory\b/.test(path)) {
    throw new Error(
      'it names no file; the service keeps its records in a file, and tests take openMemoryStorage of service-management-api/memory',
    );
  }
}

/**
 * Absolute path of the file itself, which exists or is to be made: SQLite puts its log beside it,
 * and so do the other files belong there. `danglingLink`: the link that leads there, if its target
 * is missing.
 */
export async function placeOf(name: string): Promise<{ path: string; danglingLink?: string }> {
  const given = resolve(name);
  try {
    return { path: await realpath(given) };
  } catch {
    const target = await readlink(given).catch(() => undefined);
    if (target === undefined) return { path: given };
    return { path: resolve(dirname(given), target), danglingLink: given };
  }
}

/** What every refusal of a database file begins with. */
export function refusalOf(path: string, error: unknown): Error {
  const code = codeOf(error);
  let reason = explained(error);
  if (code === 'EROFS') reason = 'its disk is mounted read-only; mount it for writing';
  if (code === 'EACCES' || code === 'EPERM') {
    reason =
      'this user may not read and write it, or not make it in its folder; check owner and permissions';
  }
  return new Error(`the database file ${path} cannot be used: ${reason}`, { cause: error });
}

/** Rejects with one sentence if a missing folder cannot be made. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    // Until the parent folder is synced, a power cut may remove a new folder with everything in it.
    for (let made = folder; first && made.length >= first.length; made = dirname(made)) {
      await syncFolder(dirname(made));
    }
  } catch (error) {
    throw new Error(
      `its folder cannot be made (${codeOf(error)}); check that the path is a file in a writable folder`,
      { cause: error },
    );
  }
}

/**
 * Makes a missing file. Call it before the database is opened: closing the file afterwards would
 * drop the lock. Rejects with the system's error if this user may not read and write the file.
 */
export async function claimFile(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await (await open(path, 'a', OWNER_ONLY_FILE)).close();
  }
}

/** One for the whole process: a bundler may load this module more than once. */
const REGISTRY = Symbol.for('service-management-api.open-files');

/**
 * Notes that this process opens the file; returns the function that takes the note back. Throws if
 * this process has it open already: a second opening would wait, and then blame another process.
 */
export function openedOnce(path: string): () => void {
  const holder = globalThis as { [REGISTRY]?: Set<string> };
  holder[REGISTRY] ??= new Set();
  const open = holder[REGISTRY];
  if (!open.has(path)) {
    open.add(path);
    return () => open.delete(path);
  }
  throw new Error(
    'this process has it open already; open it once and share the storage, also where a module is loaded twice (keep it on globalThis)',
  );
}
