// A backup that is to be restored, held open, so that nobody can exchange the file
// after it was looked at.

import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { codeOf, copySynced, fileErrorText } from './file-copy.js';

/** The files that a killed service leaves beside its database; the database itself is copied last. */
const PARTS = ['-journal', '-wal', ''] as const;
/** A pipe in the place of a file must not keep the restore waiting. */
const READ_AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

export class BackupSource {
  readonly #path: string;
  readonly #handles: ReadonlyMap<string, FileHandle>;

  private constructor(path: string, handles: ReadonlyMap<string, FileHandle>) {
    this.#path = path;
    this.#handles = handles;
  }

  /** Opens the backup, with the log beside it, for reading. Rejects with one sentence. */
  static async open(path: string): Promise<BackupSource> {
    const handles = new Map<string, FileHandle>();
    const source = new BackupSource(path, handles);
    try {
      for (const part of PARTS) {
        const handle = await openPart(path + part, part === '');
        if (handle === undefined) continue;
        handles.set(part, handle);
        if (!(await handle.stat()).isFile()) {
          throw new Error('it is not a file; name the backup itself');
        }
      }
      return source;
    } catch (error) {
      await source.close();
      throw refusal(path, openErrorText(error), error);
    }
  }

  /** Rejects where the database file is the backup. */
  async expectOther(place: string): Promise<void> {
    const found = await this.#handles.get('')?.stat();
    const there = await stat(place).catch(() => undefined);
    if (found?.ino === there?.ino && found?.dev === there?.dev) {
      throw refusal(this.#path, 'it is the database file itself; name a backup');
    }
  }

  /** Copies the backup and its log to files that are not there yet; resolves when they are on disk. */
  async copyTo(target: string): Promise<void> {
    try {
      for (const [part, handle] of this.#handles) await copySynced(handle, target + part);
    } catch (error) {
      const reason = `the copy ${target} cannot be made: ${fileErrorText(error)}`;
      throw refusal(this.#path, reason, error);
    }
  }

  async close(): Promise<void> {
    for (const handle of this.#handles.values()) await handle.close();
  }
}

export function refusal(backup: string, reason: string, cause?: unknown): Error {
  return new Error(`the backup ${backup} cannot be restored: ${reason}`, { cause });
}

/** Undefined where an optional part is missing. */
async function openPart(path: string, isNeeded: boolean): Promise<FileHandle | undefined> {
  try {
    return await open(path, READ_AT_ONCE);
  } catch (error) {
    if (!isNeeded && codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function openErrorText(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  if (code === 'ENOENT') return 'there is no such file; check the path (ENOENT)';
  const user = process.getuid?.();
  const reader = user === undefined ? '' : ` by the user ${user}, who runs this`;
  return `it cannot be read${reader} (${code})`;
}
