// Checks at the start whether erased accounts are in the database again. `restore` names
// them itself; Litestream, or a file copied by hand, knows no ledger.

import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { FileStorage } from '../../libsql.js';
import { ERASE_AGAIN, isBack } from '../../storage/erasures/came-back.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import type { Facts } from '../operations/status.js';
import type { Settings } from '../settings.js';

/** How many the log names; the others are counted. */
const NAMED_MAX = 20;

type Records = Pick<OpenRecords, 'account' | 'owners'>;

export interface ErasedAccountsOptions {
  readonly settings: Pick<Settings, 'erasureLedger' | 'backups'>;
  readonly records: Records;
  readonly storage: Pick<FileStorage, 'oldestRecordAt'>;
  readonly log: Log;
}

export class ErasedAccounts {
  readonly #records: Records;
  readonly #isUnreadable: boolean;
  /** Those that were back at the start and still have records. */
  readonly #back: Set<string>;

  private constructor(records: Records, back: readonly string[] | undefined) {
    this.#records = records;
    this.#isUnreadable = back === undefined;
    this.#back = new Set(back);
  }

  /**
   * Compares every account with the ledger: a hash for each, some 5 µs, and for one that is
   * in the ledger a look at the times of its records. Logs what it finds; never rejects.
   * Undefined if the settings name no place for a ledger.
   */
  static async find(options: ErasedAccountsOptions): Promise<ErasedAccounts | undefined> {
    const { settings, records, log } = options;
    const { erasureLedger: ERASURE_LEDGER, backups } = settings;
    const path = ledgerPath({ ERASURE_LEDGER, BACKUP_DIR: backups?.folder });
    if (path === undefined) return undefined;
    try {
      const back = await accountsBack(path, options);
      if (back.length > 0) {
        log.warn('erased_accounts_back', {
          accounts: JSON.stringify(back.slice(0, NAMED_MAX)),
          count: back.length,
          ledger: path,
          hint: `these accounts were erased, and an older state of the database brought their records back; erase each again: ${ERASE_AGAIN}`,
        });
      }
      return new ErasedAccounts(records, back);
    } catch (error) {
      log.warn('erasure_ledger_unreadable', {
        hint: `whether erased accounts are in the database again is unknown: ${error instanceof Error ? error.message : error}`,
      });
      return new ErasedAccounts(records, undefined);
    }
  }

  async facts(): Promise<Facts['erased_accounts']> {
    for (const subject of this.#back) {
      const { ok } = await this.#records.account(subject).profile();
      // It is erased again. A later one is new.
      if (!ok) this.#back.delete(subject);
    }
    return { back: this.#back.size, unreadable: this.#isUnreadable };
  }
}

async function accountsBack(
  path: string,
  { records, storage }: ErasedAccountsOptions,
): Promise<string[]> {
  const ledger = await readLedger(path);
  const found: string[] = [];
  if (ledger === undefined || ledger.size === 0) return found;
  for (const subject of records.owners) {
    const erased = ledger.erasedAt(subject);
    const oldest = erased === undefined ? undefined : await storage.oldestRecordAt(subject);
    if (erased !== undefined && oldest !== undefined && isBack(erased, oldest)) found.push(subject);
  }
  return found;
}
