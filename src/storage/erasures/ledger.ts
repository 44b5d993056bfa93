// The ledger of erased accounts: a file that is only appended to. It has hashes: only a reader who
// knows a subject can tell whether it was erased. It stands beside the folder of the backups,
// because a restore of a backup must read it.

import { createHmac } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
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
 * A line. The first has the salt, hexadecimal: one for the whole ledger, so that a restore hashes
 * each account once. The others have `account`, the HMAC-SHA256 of the subject under the salt,
 * and `erased`, RFC 3339, UTC.
 */
interface Line {
  readonly salt?: unknown;
  readonly account?: unknown;
  readonly erased?: unknown;
}

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
  withLedger(path, (_, text) => saltOf(path, text));
}

/** Adds a line; it is on disk when this resolves. */
export async function addToLedger(
  path: string,
  { subject, erased, records }: { subject: string; erased: string; records: RecordCounts },
  randomBytes: (size: number) => Uint8Array,
): Promise<void> {
  withLedger(path, (file, text) => {
    const known = saltOf(path, text);
    const salt = known ?? Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
    const head = known === undefined ? { ledger: 'erased accounts', salt } : undefined;
    // A power cut may have left half a line. This one must not become a part of it.
    const before = text === '' || text.endsWith('\n') ? '' : '\n';
    const lines = [head, { account: hashOf(salt, subject), erased, records }];
    const added = lines.flatMap((line) => (line ? `${JSON.stringify(line)}\n` : []));
    appendFileSync(file, before + added.join(''));
    fsyncSync(file);
  });
}

/** Undefined if there is no ledger. Rejects, with a sentence that says what to do, if there is one that cannot be read. */
export async function readLedger(path: string): Promise<Ledger | undefined> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(unusable(path, codeOf(error)), { cause: error });
  }
  const salt = saltOf(path, text);
  if (salt === undefined) return undefined;
  const erased = new Map<unknown, string>();
  for (const line of text.split('\n').slice(1).map(lineOf)) {
    if (typeof line.account === 'string') erased.set(line.account, String(line.erased));
  }
  return { size: erased.size, erasedAt: (subject) => erased.get(hashOf(salt, subject)) };
}

/** Opens the ledger, making it if it is missing. */
function withLedger(path: string, use: (file: number, text: string) => void): void {
  const file = openLedger(path);
  try {
    use(file, readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/** One that the superuser makes goes to the owner of the backups' folder, who has to read it at a restore. */
function openLedger(path: string): number {
  try {
    if (!isSuperuser()) return openSync(path, FOR_ADDING, OWNER_ONLY);
    // The file itself may be of the service's user, who cannot put a link there.
    expectSafePath(dirname(path));
    const file = openSync(path, FOR_ADDING | constants.O_NOFOLLOW, OWNER_ONLY);
    const backups = path.endsWith(NAME_END) ? path.slice(0, -NAME_END.length) : dirname(path);
    const { uid, gid } = statSync(backups, { throwIfNoEntry: false }) ?? statSync(dirname(path));
    if (fstatSync(file).uid !== uid) fchownSync(file, uid, gid);
    return file;
  } catch (error) {
    throw new Error(unusable(path, codeOf(error)), { cause: error });
  }
}

function unusable(path: string, code: string): string {
  const name = `the ledger of erased accounts ${path}`;
  if (code === 'ENOENT') return `${name} cannot be made: its folder is not there; make it`;
  if (code.includes(' ')) return `${name} cannot be used: ${code}`;
  return code === 'EACCES' || code === 'EPERM'
    ? `${name} cannot be used by this user (${code}); give it to the user of the service: chown USER ${path}`
    : `${name} cannot be used (${code}); ERASURE_LEDGER names another one`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

/** Undefined of an empty file, as an erasure makes it before its first line. Throws if the file is something else. */
function saltOf(path: string, text: string): string | undefined {
  if (text === '') return undefined;
  const { salt } = lineOf(text.split('\n', 1)[0] ?? '');
  if (typeof salt === 'string') return salt;
  throw new Error(
    `${path} is not a ledger of erased accounts, or its first line is damaged; put a copy of the ledger in its place, or name it in ERASURE_LEDGER`,
  );
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
