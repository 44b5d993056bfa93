// The list of erased accounts, an append-only file next to the folder of the backups. A restore and a load
// read it to report erased accounts that come back. A line is `{"account": SUBJECT, "erased": TIME}`, RFC
// 3339 in UTC.

import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseJsonLine } from '../../core/json-line.js';
import { assertSafePath, isSuperuser } from '../backup/superuser.js';

const NAME_END = '-erased.ndjson';

/** The list's path: `ERASURE_LEDGER`, or next to the folder of the backups. */
export function ledgerPath(
  environment: Readonly<Record<string, string | undefined>>,
  backupFolder: string | undefined = environment['BACKUP_DIR'],
): string | undefined {
  if (environment['ERASURE_LEDGER']) return resolve(environment['ERASURE_LEDGER']);
  return backupFolder ? `${resolve(backupFolder)}${NAME_END}` : undefined;
}

/** Adds a line, which is on disk when it returns. Throws one sentence if the file can't be used. */
export function addToLedger(
  path: string,
  { subject, erased }: { readonly subject: string; readonly erased: string },
): void {
  try {
    assertSafePath(dirname(path));
    const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = fs.constants;
    // The file itself may belong to the service's user, who could make it a link to anywhere.
    const flags = O_WRONLY | O_CREAT | O_APPEND | (isSuperuser() ? O_NOFOLLOW : 0);
    // Not closed if anything throws, because the command then ends.
    const file = fs.openSync(path, flags, 0o600);
    // The owner of the backups must be able to read it at a restore.
    const backups = fs.statSync(path.replace(NAME_END, ''), { throwIfNoEntry: false });
    if (isSuperuser() && backups) fs.fchownSync(file, backups.uid, backups.gid);
    // The line break comes first, because a power cut may have left half a line. Not `writeSync`, which may
    // write a part, as on a full disk.
    fs.writeFileSync(file, `\n${JSON.stringify({ account: subject, erased })}`);
    fs.fsyncSync(file);
    fs.closeSync(file);
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  }
}

/** When each account was last erased, RFC 3339 in UTC. Rejects with one sentence if a list can't be read. */
export async function readLedger(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw unusable(path, error);
  });
  type Line = { readonly account?: unknown; readonly erased?: unknown };
  const lines: Line[] = text.split('\n').flatMap((line) => parseJsonLine(line) ?? []);
  if (lines.some(({ account, erased }) => account === undefined || erased === undefined)) {
    throw unusable(path, { message: 'a line names no account' });
  }
  return new Map(lines.map(({ account, erased }) => [String(account), String(erased)]));
}

function unusable(path: string, cause: Pick<NodeJS.ErrnoException, 'code' | 'message'>): Error {
  return new Error(
    `the ledger of erased accounts ${path} cannot be used (${cause.code ?? cause.message}); create its folder, give both to the service's user, or name another one in ERASURE_LEDGER`,
    { cause },
  );
}
