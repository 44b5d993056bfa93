// The ledger of erased accounts. It has hashes: only a reader who knows a subject can tell
// whether it was erased. It stands beside the folder of the backups, because a restore of
// a backup must read it.

import { createHmac } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CollectionName } from '../../domain/collection-name.js';
import { objectIn } from '../json-line.js';

const OWNER_ONLY = 0o600;
const SALT_BYTES = 16;
const NAME_END = '-erased.ndjson';

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

/** Adds a line; it is on disk when this resolves. */
export async function addToLedger(
  path: string,
  { subject, erased, records }: { subject: string; erased: string; records: RecordCounts },
  randomBytes: (size: number) => Uint8Array,
): Promise<void> {
  const file = await open(path, 'a+', OWNER_ONLY);
  try {
    let salt = headOf(await readFile(path, 'utf8'))?.salt;
    if (salt === undefined) {
      salt = Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
      await appendLine(file, { ledger: 'erased accounts', salt } satisfies Head);
    }
    await appendLine(file, { account: hashOf(salt, subject), erased, records } satisfies Line);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** An erased account that is in a restored database. */
export interface CameBack {
  readonly subject: string;
  /** RFC 3339, UTC. */
  readonly erased: string;
}

/**
 * The accounts that are in the ledger, with the last time that each was erased.
 * `oldest`: the creation time of the account's oldest record, in milliseconds since
 * 1970, UTC. If it is after the erasure, the account is new and has not come back.
 * Without a ledger the list is empty.
 */
export async function accountsThatCameBack(
  path: string,
  accounts: Iterable<{ readonly subject: string; readonly oldest: number }>,
): Promise<CameBack[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const salt = headOf(text)?.salt;
  if (salt === undefined) return [];
  const erasedAt = new Map(linesOf(text).map(({ account, erased }) => [account, erased]));
  const found: CameBack[] = [];
  for (const { subject, oldest } of accounts) {
    const erased = erasedAt.get(hashOf(salt, subject));
    if (erased !== undefined && oldest < Date.parse(erased)) found.push({ subject, erased });
  }
  return found;
}

async function appendLine(file: FileHandle, line: object): Promise<void> {
  await file.appendFile(`${JSON.stringify(line)}\n`);
}

function headOf(text: string): Head | undefined {
  const head = objectIn(text.split('\n', 1)[0] ?? '') as Partial<Head> | undefined;
  return typeof head?.salt === 'string' ? (head as Head) : undefined;
}

function linesOf(text: string): Line[] {
  const lines = text.split('\n').slice(1).map(objectIn) as (Partial<Line> | undefined)[];
  return lines.filter((line): line is Line => typeof line?.account === 'string');
}

function hashOf(salt: string, subject: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(subject).digest('hex');
}
