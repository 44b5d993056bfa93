// The list of erased accounts, an append-only file beside the folder of the backups, from which a
// restore and a load print whom they bring back. A line is `{"account": SUBJECT, "erased": TIME}`, RFC 3339
// in UTC.

import {
  closeSync,
  constants,
  fchownSync,
  fsyncSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { objectIn } from '../../core/json-line.js';
import { expectSafePath, isSuperuser } from '../backup/superuser.js';

const NAME_END = '-erased.ndjson';
const FOR_APPENDING = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;

export const ERASE_AGAIN =
  'service-management erase --account SUBJECT --export-first FOLDER --confirm SUBJECT (in a clone: npm run erase -- …)';

export type RecordCounts = Partial<Record<CollectionName, number>>;

export interface Ledger {
  /**
   * When the account was last erased, RFC 3339 in UTC, if that was after `time`, in milliseconds since
   * 1970: records of that time have come back. Later ones are those of a new account.
   */
  erasedAfter(subject: string, time: number): string | undefined;
}

/** Where the list is: `ERASURE_LEDGER`, or beside the folder of the backups. */
export function ledgerPath(
  environment: Readonly<Record<string, string | undefined>>,
  backupFolder: string | undefined = environment['BACKUP_DIR'],
): string | undefined {
  if (environment['ERASURE_LEDGER']) return resolve(environment['ERASURE_LEDGER']);
  return backupFolder ? `${resolve(backupFolder)}${NAME_END}` : undefined;
}

/** Rejects with one sentence if no line can be added: to be called before anything is deleted. */
export async function expectWritable(path: string): Promise<void> {
  await readLedger(path);
  append(path, '');
}

/** Adds a line; it is on disk when this resolves. */
export async function addToLedger(
  path: string,
  { subject, erased }: { readonly subject: string; readonly erased: string },
): Promise<void> {
  // The end of line comes first: a power loss may have left half a line.
  append(path, `\n${JSON.stringify({ account: subject, erased })}`);
}

/** Undefined if there is none. Rejects with one sentence if it can't be read. */
export async function readLedger(path: string): Promise<Ledger | undefined> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((error) => {
    throw unusable(path, error);
  });
  const erasures = new Map<unknown, string>();
  for (const line of text.split('\n')) {
    const { account, erased, salt }: Readonly<Record<string, unknown>> = { ...objectIn(line) };
    // Builds before 0.1.0 kept salted hashes, which name nobody.
    if (salt !== undefined) throw unusable(path, { message: 'it is of a build before 0.1.0' });
    if (erased !== undefined) erasures.set(account, String(erased));
  }
  return {
    erasedAfter(subject, time) {
      const erased = erasures.get(subject);
      return erased !== undefined && time < Date.parse(erased) ? erased : undefined;
    },
  };
}

/** Makes a missing file. */
function append(path: string, line: string): void {
  try {
    expectSafePath(dirname(path));
    // The file itself may belong to the service's user, and so be a link to anywhere.
    const file = openSync(path, FOR_APPENDING | (isSuperuser() ? constants.O_NOFOLLOW : 0), 0o600);
    try {
      // Whoever owns the backups must be able to read it at a restore.
      const backups = statSync(path.replace(NAME_END, ''), { throwIfNoEntry: false });
      if (isSuperuser() && backups) fchownSync(file, backups.uid, backups.gid);
      writeSync(file, line);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  }
}

function unusable(path: string, cause: Pick<NodeJS.ErrnoException, 'code' | 'message'>): Error {
  return new Error(
    `the ledger of erased accounts ${path} cannot be used (${cause.code ?? cause.message}); make its folder, give both to the service's user, or name another one in ERASURE_LEDGER`,
    { cause },
  );
}
