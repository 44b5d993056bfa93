// Checks at the start whether erased accounts are in the database again. `restore` names
// them itself; Litestream, or a file copied by hand, knows no ledger.

import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { FileStorage } from '../../libsql.js';
import { ERASE_AGAIN, ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { messageOf } from '../../storage/file/connection-errors.js';
import type { Settings } from '../settings.js';

/** How many accounts the log names; the others are only counted. */
const NAMED_MAX = 20;
const BACK = `these accounts were erased, and an older state of the database brought their records back; erase each again: ${ERASE_AGAIN}`;
const UNKNOWN = 'whether erased accounts are in the database again is unknown';

/**
 * Looks up every account in the ledger by its hash (about 5 µs each), and compares the times of the
 * records of those that it finds. Logs what it finds; never rejects. Resolves with a function that
 * tells how many still have records; undefined if the settings name no place for a ledger.
 */
export async function erasedAccounts(
  { erasureLedger: ERASURE_LEDGER, backups }: Settings,
  records: OpenRecords,
  storage: FileStorage,
  log: Log,
) {
  const path = ledgerPath({ ERASURE_LEDGER, BACKUP_DIR: backups?.folder });
  if (path === undefined) return undefined;
  const back = new Set<string>();
  let unreadable = false;
  try {
    const ledger = await readLedger(path);
    for (const subject of ledger ? records.owners : []) {
      if (ledger?.erasedAfter(subject, 0) === undefined) continue;
      const oldest = (await storage.oldestRecordAt(subject)) ?? Infinity;
      if (ledger.erasedAfter(subject, oldest)) back.add(subject);
    }
  } catch (error) {
    unreadable = true;
    log.warn('erasure_ledger_unreadable', { hint: `${UNKNOWN}: ${messageOf(error)}` });
  }
  if (back.size > 0) {
    const accounts = JSON.stringify([...back].slice(0, NAMED_MAX));
    log.warn('erased_accounts_back', { accounts, count: back.size, ledger: path, hint: BACK });
  }
  return async () => {
    for (const subject of back) {
      // It is erased again. A later one is new.
      if (!(await records.account(subject).profile()).ok) back.delete(subject);
    }
    return { back: back.size, unreadable };
  };
}
