// The ledger of erased accounts, an append-only file beside the folder of the backups, from which a
// restore and a load learn whom they would bring back. The first line has `salt`; the others have
// `account`, the HMAC-SHA256 of the subject under the salt, `erased`, RFC 3339 in UTC, and `records`.
// So only a reader who knows a subject can tell whether it was erased.

import { createHmac, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { expectSafePath, isSuperuser } from '../backup/superuser.js';

const NAME_END = '-erased.ndjson';
const FOR_APPENDING = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

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

/** Where the ledger is: `ERASURE_LEDGER`, or beside the folder of the backups. */
export function ledgerPath(
  environment: Readonly<Record<string, string | undefined>>,
  backupFolder: string | undefined = environment['BACKUP_DIR'],
): string | undefined {
  if (environment['ERASURE_LEDGER']) return resolve(environment['ERASURE_LEDGER']);
  return backupFolder ? `${resolve(backupFolder)}${NAME_END}` : undefined;
}

/** Rejects with one sentence if no line can be added: to be called before anything is deleted. */
export async function expectWritable(path: string): Promise<void> {
  withLedger(path, () => {});
}

/** Adds a line; it is on disk when this resolves. */
export async function addToLedger(
  path: string,
  { subject, ...line }: { subject: string; erased: string; records: RecordCounts },
): Promise<void> {
  withLedger(path, (file, salt) => {
    const account = hashOf(salt, subject);
    // The end of line comes first: a power loss may have left half a line.
    appendFileSync(file, `\n${JSON.stringify({ account, ...line })}`);
    fsyncSync(file);
  });
}

/** Undefined if there is none. Rejects with one sentence if it can't be read. */
export async function readLedger(path: string): Promise<Ledger | undefined> {
  return usable(path, () => {
    const text = statSync(path, { throwIfNoEntry: false }) && readFileSync(path, 'utf8');
    if (!text) return undefined;
    const salt = saltOf(text);
    const lines = text.split('\n').map(lineOf);
    const erasures = new Map(lines.map(({ account, erased }) => [account, String(erased)]));
    return {
      erasedAfter(subject, time) {
        const erased = erasures.get(hashOf(salt, subject));
        return erased !== undefined && time < Date.parse(erased) ? erased : undefined;
      },
    };
  });
}

/** Makes a missing one. */
function withLedger(path: string, use: (file: number, salt: string) => void): void {
  usable(path, () => {
    expectSafePath(dirname(path));
    // The file itself may belong to the service's user, and so be a link to anywhere.
    const file = openSync(path, FOR_APPENDING | (isSuperuser() ? constants.O_NOFOLLOW : 0), 0o600);
    try {
      // Whoever owns the backups must be able to read it at a restore.
      const backups = statSync(path.replace(NAME_END, ''), { throwIfNoEntry: false });
      if (isSuperuser() && backups) fchownSync(file, backups.uid, backups.gid);
      const text = readFileSync(file, 'utf8');
      const salt = text === '' ? randomBytes(16).toString('hex') : saltOf(text);
      if (text === '') appendFileSync(file, `{"ledger":"erased accounts","salt":"${salt}"}`);
      use(file, salt);
    } finally {
      closeSync(file);
    }
  });
}

function usable<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `the ledger of erased accounts ${path} cannot be used (${code ?? message}); make its folder, give both to the service's user, or name another one in ERASURE_LEDGER`,
      { cause: error },
    );
  }
}

function saltOf(text: string): string {
  const { salt } = lineOf(text.split('\n', 1)[0] ?? '');
  if (typeof salt === 'string') return salt;
  throw new Error('its first line is damaged, or it is not a ledger; put a copy in its place');
}

/** Empty if the line is not whole, as after a power loss. */
function lineOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(line) };
  } catch {
    return {};
  }
}

function hashOf(salt: string, subject: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(subject).digest('hex');
}
