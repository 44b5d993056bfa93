// The ledger of erased accounts: a file that is only appended to. It has hashes: only a reader who
// knows a subject can tell whether it was erased. It stands beside the folder of the backups,
// because a restore of a backup must read it.

import { createHmac } from 'node:crypto';
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

const OWNER_ONLY = 0o600;
const SALT_BYTES = 16;
const NAME_END = '-erased.ndjson';
const FOR_ADDING = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

export type RecordCounts = Partial<Record<CollectionName, number>>;

/**
 * The first line has `salt`, hexadecimal: one for the whole ledger, so that a restore hashes each
 * account once. The others have `account`, the HMAC-SHA256 of the subject under the salt, and
 * `erased`, RFC 3339, UTC.
 */
type Line = Readonly<Record<string, unknown>>;

/** What a ledger knows. */
export interface Ledger {
  /** How many erasures it has. */
  readonly size: number;
  /** When the account was erased last: RFC 3339, UTC. Undefined if it never was. */
  erasedAt(subject: string): string | undefined;
}

/** Where the ledger is: `ERASURE_LEDGER`, or beside the folder of the backups. */
export function ledgerPath(
  environment: Readonly<Record<string, string | undefined>>,
  backupFolder: string | undefined = environment['BACKUP_DIR'],
): string | undefined {
  if (environment['ERASURE_LEDGER']) return resolve(environment['ERASURE_LEDGER']);
  return backupFolder ? `${resolve(backupFolder)}${NAME_END}` : undefined;
}

/** Rejects, with one sentence, if a line could not be added later: before anything is deleted. */
export async function expectWritable(path: string): Promise<void> {
  withLedger(path, () => {});
}

/** Adds a line; it is on disk when this resolves. */
export async function addToLedger(
  path: string,
  { subject, erased, records }: { subject: string; erased: string; records: RecordCounts },
  randomBytes: (size: number) => Uint8Array,
): Promise<void> {
  withLedger(path, (file, text) => {
    const salt = saltOf(text) ?? Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
    const head = text === '' ? `${JSON.stringify({ ledger: 'erased accounts', salt })}\n` : '';
    // A power cut may have left half a line. This one must not become a part of it.
    const before = text === '' || text.endsWith('\n') ? '' : '\n';
    const line = JSON.stringify({ account: hashOf(salt, subject), erased, records });
    appendFileSync(file, `${before}${head}${line}\n`);
    fsyncSync(file);
  });
}

/** Undefined if there is no ledger. Rejects, with a sentence that says what to do, if there is one that cannot be read. */
export async function readLedger(path: string): Promise<Ledger | undefined> {
  const lines = usable(path, () => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
    const text = readFileSync(path, 'utf8');
    return saltOf(text) === undefined ? [] : text.split('\n').map(lineOf);
  });
  const [head, ...rest] = lines;
  if (head === undefined) return undefined;
  const erased = new Map<unknown, string>();
  for (const { account, erased: at } of rest) if (account) erased.set(account, String(at));
  const salt = String(head['salt']);
  return { size: erased.size, erasedAt: (subject) => erased.get(hashOf(salt, subject)) };
}

/** Opens the ledger, making it if it is missing. `text`: its lines so far. */
function withLedger(path: string, use: (file: number, text: string) => void): void {
  usable(path, () => {
    const file = openLedger(path);
    try {
      const text = readFileSync(file, 'utf8');
      saltOf(text);
      use(file, text);
    } finally {
      closeSync(file);
    }
  });
}

/** One that the superuser makes goes to the owner of the backups' folder, who has to read it at a restore. */
function openLedger(path: string): number {
  if (!isSuperuser()) return openSync(path, FOR_ADDING, OWNER_ONLY);
  expectSafePath(dirname(path));
  // The file itself may be of the service's user, who cannot put a link there.
  const file = openSync(path, FOR_ADDING | constants.O_NOFOLLOW, OWNER_ONLY);
  const backups = path.endsWith(NAME_END) ? path.slice(0, -NAME_END.length) : dirname(path);
  const { uid, gid } = statSync(backups, { throwIfNoEntry: false }) ?? statSync(dirname(path));
  fchownSync(file, uid, gid);
  return file;
}

function usable<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `the ledger of erased accounts ${path} cannot be used (${code ?? message}); make its folder, give both to the user of the service, or name another one in ERASURE_LEDGER`,
      { cause: error },
    );
  }
}

/** Undefined of an empty file, as an erasure makes it before its first line. Throws if the file is something else. */
function saltOf(text: string): string | undefined {
  if (text === '') return undefined;
  const { salt } = lineOf(text.split('\n', 1)[0] ?? '');
  if (typeof salt === 'string') return salt;
  throw new Error('its first line is damaged, or it is not a ledger; put a copy in its place');
}

/** Empty if the line is not whole, as after a power cut. */
function lineOf(line: string): Line {
  try {
    return { ...JSON.parse(line) };
  } catch {
    return {};
  }
}

function hashOf(salt: string, subject: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(subject).digest('hex');
}
