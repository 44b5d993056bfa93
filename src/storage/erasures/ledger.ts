// The ledger of erased accounts. It has hashes: only a reader who knows a subject can tell
// whether it was erased. It stands beside the folder of the backups, because a restore of
// a backup must read it.

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
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { objectIn } from '../../core/json-line.js';
import { isSuperuser, placeOf } from '../backup/superusers-place.js';

const OWNER_ONLY = 0o600;
const SALT_BYTES = 16;
const NAME_END = '-erased.ndjson';
const FOR_ADDING = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

export type RecordCounts = Partial<Record<CollectionName, number>>;

interface Head {
  readonly ledger: 'erased accounts';
  /** Hexadecimal. The whole ledger has one salt, so that a restore hashes each account once. */
  readonly salt: string;
}

interface Line {
  /** HMAC-SHA256 of the subject under the salt, hexadecimal. */
  readonly account: string;
  /** RFC 3339, UTC. */
  readonly erased: string;
  readonly records: RecordCounts;
}

/** Where the ledger is: `ERASURE_LEDGER`, or beside the folder of the backups. */
export function ledgerPath(
  environment: Readonly<Record<string, string | undefined>>,
  backupFolder: string | undefined = environment['BACKUP_DIR'],
): string | undefined {
  if (environment['ERASURE_LEDGER']) return resolve(environment['ERASURE_LEDGER']);
  return backupFolder ? `${resolve(backupFolder)}${NAME_END}` : undefined;
}

/** Rejects, with one sentence, where a line could not be added later: before anything is deleted. */
export async function expectWritable(path: string): Promise<void> {
  const file = openLedger(path);
  try {
    headOf(path, readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/** Adds a line; it is on disk when this resolves. */
export async function addToLedger(
  path: string,
  { subject, erased, records }: { subject: string; erased: string; records: RecordCounts },
  randomBytes: (size: number) => Uint8Array,
): Promise<void> {
  const file = openLedger(path);
  try {
    const text = readFileSync(file, 'utf8');
    let salt = headOf(path, text)?.salt;
    if (salt === undefined) {
      salt = Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
      appendLine(file, { ledger: 'erased accounts', salt } satisfies Head);
    } else if (!text.endsWith('\n')) {
      // A power cut has left half a line. This one must not become a part of it.
      appendFileSync(file, '\n');
    }
    appendLine(file, { account: hashOf(salt, subject), erased, records } satisfies Line);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What a ledger knows. */
export interface Ledger {
  /** How many erasures it has. */
  readonly size: number;
  /** When the account was erased last: RFC 3339, UTC. Undefined where it never was. */
  erasedAt(subject: string): string | undefined;
}

/** Undefined where there is no ledger. Rejects, with a sentence that says what to do, where there is one that cannot be read. */
export async function readLedger(path: string): Promise<Ledger | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    throw new Error(unusable(path, code), { cause: error });
  }
  const salt = headOf(path, text)?.salt;
  if (salt === undefined) return undefined;
  const erased = new Map(linesOf(text).map((line) => [line.account, line.erased]));
  return { size: erased.size, erasedAt: (subject) => erased.get(hashOf(salt, subject)) };
}

/** An erased account that is in a database again. */
export interface CameBack {
  readonly subject: string;
  /** RFC 3339, UTC. */
  readonly erased: string;
}

/**
 * `oldest`: the creation time of the account's oldest record, in milliseconds since 1970,
 * UTC. If it is after the erasure, the account is new and has not come back.
 */
export function isBack(erased: string, oldest: number): boolean {
  return oldest < Date.parse(erased);
}

/**
 * One that the superuser makes beside backups of the service's user goes to that user, who
 * has to read it at a restore.
 */
function openLedger(path: string): number {
  try {
    if (!isSuperuser()) return openSync(path, FOR_ADDING, OWNER_ONLY);
    // The file itself may be of the service's user, who cannot put a link there.
    const place = join(placeOf(dirname(path)), basename(path));
    const file = openSync(place, FOR_ADDING | constants.O_NOFOLLOW, OWNER_ONLY);
    const { uid, gid } = modelOf(path);
    if (fstatSync(file).uid !== uid) fchownSync(file, uid, gid);
    return file;
  } catch (error) {
    throw new Error(unusable(path, codeOf(error)), { cause: error });
  }
}

/** Whose file it should be: of the owner of the backups' folder, else of the folder that it is in. */
function modelOf(path: string): { readonly uid: number; readonly gid: number } {
  const backups = path.endsWith(NAME_END) ? path.slice(0, -NAME_END.length) : undefined;
  const found = backups && statSync(backups, { throwIfNoEntry: false });
  return found || statSync(dirname(path));
}

function unusable(path: string, code: string): string {
  const name = `the ledger of erased accounts ${path}`;
  if (code === 'ENOENT') return `${name} cannot be made: its folder is not there; make it`;
  if (code.includes(' ')) return `${name} cannot be used: ${code}`;
  const rights = code === 'EACCES' || code === 'EPERM';
  return rights
    ? `${name} cannot be used by this user (${code}); give it to the user of the service: chown USER ${path}`
    : `${name} cannot be used (${code}); ERASURE_LEDGER names another one`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

function appendLine(file: number, line: object): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Undefined of an empty file, as an erasure makes it before its first line. Throws where the file is something else. */
function headOf(path: string, text: string): Head | undefined {
  if (text === '') return undefined;
  const head = objectIn(text.split('\n', 1)[0] ?? '') as Partial<Head> | undefined;
  if (typeof head?.salt === 'string') return head as Head;
  throw new Error(
    `${path} is not a ledger of erased accounts, or its first line is damaged; put a copy of the ledger in its place, or name it in ERASURE_LEDGER`,
  );
}

function linesOf(text: string): Line[] {
  const lines = text.split('\n').slice(1).map(objectIn) as (Partial<Line> | undefined)[];
  return lines.filter((line): line is Line => typeof line?.account === 'string');
}

function hashOf(salt: string, subject: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(subject).digest('hex');
}
