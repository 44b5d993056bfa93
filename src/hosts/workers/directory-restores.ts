// The restores of accounts that are under way. A restored object does not know that it was
// restored. So the directory stores the restore, and asks the account until it has delivered
// its earlier state.

import type { Log } from '../../core/log.js';
import type { ObjectStorage } from '../../storage/object/object-storage.js';
import type { AccountStub, Restore } from './account-call.js';
import { LIST_RESTORES, PUT_RESTORE, REMOVE_RESTORE } from './directory-schema.js';

/** The admin Worker asks the account sooner. This delay is for an admin Worker that was stopped. */
const FIRST_ALARM_MS = 5_000;
const NEXT_ALARM_MS = 30_000;

export interface DirectoryRestoresOptions {
  readonly storage: ObjectStorage & { setAlarm(at: number): Promise<void> };
  readonly account: (owner: string) => Pick<AccountStub, 'followRestore'>;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class DirectoryRestores {
  readonly #options: DirectoryRestoresOptions;

  constructor(options: DirectoryRestoresOptions) {
    this.#options = options;
  }

  async expect(restore: Restore): Promise<void> {
    const { storage, clock } = this.#options;
    storage.sql.exec(PUT_RESTORE, restore.owner, JSON.stringify(restore));
    await storage.setAlarm(clock() + FIRST_ALARM_MS);
  }

  drop({ owner, id }: Restore): void {
    this.#options.storage.sql.exec(REMOVE_RESTORE, owner, id);
  }

  /** Never throws, because the platform gives up an alarm that keeps failing. */
  async onAlarm(): Promise<void> {
    const { storage, clock } = this.#options;
    const restores = this.#restores();
    await Promise.all(restores.map((restore) => this.#follow(restore)));
    if (this.#restores().length > 0) await storage.setAlarm(clock() + NEXT_ALARM_MS);
  }

  async #follow(restore: Restore): Promise<void> {
    const { account, log } = this.#options;
    try {
      const state = await account(restore.owner).followRestore(restore);
      if (state === 'followed' || state === 'none') this.drop(restore);
    } catch (error) {
      log.error('account_restore_unfollowed', error, { owner_sub: restore.owner });
    }
  }

  #restores(): Restore[] {
    const rows = [...this.#options.storage.sql.exec<{ restore: string }>(LIST_RESTORES)];
    return rows.map(({ restore }) => JSON.parse(restore));
  }
}
