// Looks at the start whether erased accounts are in the database again. `restore` names
// them itself; Litestream, or a file copied by hand, knows no ledger.

import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { FileStorage } from '../../libsql.js';
import { type CameBack, ERASE_AGAIN, isBack } from '../../storage/erasures/came-back.js';
import { type Ledger, ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import type { ErasureFigures } from '../operations/figures.js';
import type { Settings } from '../settings.js';

/** So many are named in the log; the others are counted. */
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
  /** Those that were back at the start and have not been without a record since. */
  readonly #back: Set<string>;

  private constructor(records: Records, back: readonly CameBack[] | undefined) {
    this.#records = records;
    this.#isUnreadable = back === undefined;
    this.#back = new Set(back?.map(({ subject }) => subject));
  }

  /**
   * Compares every account with the ledger: a hash for each, some 5 µs, and for one that is
   * in the ledger a look at the times of its records. Logs what it finds; never rejects.
   * Undefined if the settings name no place for a ledger.
   */
  static async look({ settings, records, storage, log }: ErasedAccountsOptions) {
    const path = ledgerPath({
      ERASURE_LEDGER: settings.erasureLedger,
      BACKUP_DIR: settings.backups?.folder,
    });
    if (path === undefined) return undefined;
    try {
      const ledger = await readLedger(path);
      const back = ledger === undefined ? [] : await accountsBack(ledger, records, storage);
      if (back.length > 0) {
        log.warn('erased_accounts_back', {
          accounts: JSON.stringify(back.slice(0, NAMED_MAX).map(({ subject }) => subject)),
          count: back.length,
          ledger: path,
          hint: `these accounts were erased, and an older state of the database has brought their records back; erase each again: ${ERASE_AGAIN}`,
        });
      }
      return new ErasedAccounts(records, back);
    } catch (error) {
      log.warn('erasure_ledger_unreadable', {
        hint: `whether erased accounts are in the database again is not known: ${error instanceof Error ? error.message : error}`,
      });
      return new ErasedAccounts(records, undefined);
    }
  }

  async figures(): Promise<ErasureFigures> {
    for (const subject of this.#back) {
      const { ok } = await this.#records.account(subject).profile();
      // It is erased again. Who comes later is new.
      if (!ok) this.#back.delete(subject);
    }
    return { back: this.#back.size, isUnreadable: this.#isUnreadable };
  }
}

async function accountsBack(
  ledger: Ledger,
  { owners }: Records,
  storage: ErasedAccountsOptions['storage'],
): Promise<CameBack[]> {
  const found: CameBack[] = [];
  if (ledger.size === 0) return found;
  for (const subject of owners) {
    const erased = ledger.erasedAt(subject);
    if (erased === undefined) continue;
    const oldest = await storage.oldestRecordAt(subject);
    if (oldest !== undefined && isBack(erased, oldest)) found.push({ subject, erased });
  }
  return found;
}
