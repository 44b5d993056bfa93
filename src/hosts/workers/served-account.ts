// One account in its object: whose it is, whether its records are served, and how they
// come into memory.

import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { failed, type Outcome } from '../../core/domain/errors.js';
import { SAMPLE_OWNER } from '../../core/domain/sample-records.js';
import type { Log } from '../../core/log.js';
import type { AccountLimits } from '../../core/records/account-limits.js';
import { type OpenAccountRecords, openAccountRecords } from '../../core/records/memory-store.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { arrivalUnderWay } from '../../storage/object/arrival.js';
import type { ObjectRecordStorage } from '../../storage/object/object-record-storage.js';
import type { ObjectStorage } from '../../storage/object/object-storage.js';
import type { Outbox } from './outbox.js';

/** Characters of folded texts, at most two bytes each. Memory must also hold the records, a page and a body. */
const SEARCH_MAX_CHARACTERS = 8_000_000;
/** Time for the answer to leave the object before the object ends. */
const ANSWER_MS = 250;
const RETRY_AFTER_SECONDS = 5;

/**
 * What the object does with its account:
 *
 * - `loading`: no call runs before the stored records are in memory.
 * - `serving`: its records are read and changed.
 * - `arriving`: it is being loaded, so only the load may add to it.
 * - `restarting`: the object ends soon, and takes an earlier state when it is loaded again.
 *   A write from here on would be lost.
 */
type State =
  | { readonly name: 'serving'; readonly records: OpenAccountRecords }
  | { readonly name: 'loading' | 'arriving' | 'restarting' };

/** The part of `ctx` that is used here. */
export interface ObjectContext {
  readonly storage: ObjectStorage & {
    deleteAlarm(): Promise<void>;
    deleteAll(): Promise<void>;
  };
  /** Ends the object: the next call finds another one, which loads what is stored. */
  abort(reason: string): void;
  /** No other call runs in the meantime. If `run` rejects, the object ends. */
  blockConcurrencyWhile<T>(run: () => Promise<T>): Promise<T>;
}

export interface ServedAccountOptions {
  readonly ctx: ObjectContext;
  readonly recordStorage: ObjectRecordStorage;
  readonly outbox: Outbox;
  readonly limits: AccountLimits;
  /** The account of the sample records gets them. */
  readonly seedsSamples: boolean;
  readonly log: Log;
}

/** The part of `ctx.storage` that a restore uses: https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ */
export interface RestorableStorage extends ObjectStorage {
  readonly kv: { get(key: string): unknown; put(key: string, value: string): void };
  /** Rejects if the platform does not keep that time, or if the runtime keeps no history. */
  getBookmarkForTime(time: number): Promise<string>;
  /** Resolves with the bookmark that undoes it. */
  onNextSessionRestoreBookmark(bookmark: string): Promise<string>;
}

/** What an account's object is made of. */
export interface ObjectParts
  extends Pick<ServedAccountOptions, 'recordStorage' | 'outbox' | 'limits' | 'log'> {
  readonly storage: RestorableStorage;
  readonly account: ServedAccount;
}

export class ServedAccount {
  readonly #options: ServedAccountOptions;
  #state: State = { name: 'loading' };

  constructor(options: ServedAccountOptions) {
    this.#options = options;
  }

  get state(): State['name'] {
    return this.#state.name;
  }

  /** Brings the stored records into memory. */
  load(): Promise<void> {
    return this.#options.ctx.blockConcurrencyWhile(() => this.#load());
  }

  /** Undefined while the account is being loaded or set back. Throws if the object is another account's. */
  async records(owner: string): Promise<OpenAccountRecords | undefined> {
    await this.expectOwner(owner);
    return this.#state.name === 'serving' ? this.#state.records : undefined;
  }

  /** Throws if the object is another account's. The sample account has its rows then, unless the settings leave them out. */
  async expectOwner(owner: string): Promise<void> {
    const { ctx, recordStorage, outbox, seedsSamples } = this.#options;
    outbox.expectOwner(owner);
    if (owner !== SAMPLE_OWNER || !seedsSamples || recordStorage.hasTables) return;
    await ctx.blockConcurrencyWhile(() => this.#seed());
  }

  /** Runs `change` as a transaction, then reloads the stored records. No other call runs in between. */
  reload(change: () => void): Promise<void> {
    const { ctx, recordStorage } = this.#options;
    return ctx.blockConcurrencyWhile(async () => {
      ctx.storage.transactionSync(change);
      recordStorage.look();
      await this.#load();
    });
  }

  /** Deletes everything that the object stores, after `before`. No other call runs in the meantime. */
  empty(before: () => Promise<void> = async () => {}): Promise<void> {
    return this.#options.ctx.blockConcurrencyWhile(async () => {
      await before();
      await this.#empty();
    });
  }

  async #empty(): Promise<void> {
    const { ctx, recordStorage, outbox } = this.#options;
    this.#enter({ name: 'loading' });
    await ctx.storage.deleteAlarm();
    await ctx.storage.deleteAll();
    outbox.reset();
    recordStorage.look();
    await this.#load();
  }

  /** Ends the object as soon as its answer has left. */
  restart(): void {
    this.#enter({ name: 'restarting' });
    setTimeout(() => this.#options.ctx.abort('the account is set back'), ANSWER_MS);
  }

  /** Pending writes are refused once the records are no longer served. */
  #enter(state: State): void {
    if (this.#state.name === 'serving') void this.#state.records.refuseWrites();
    this.#state = state;
  }

  async #load(): Promise<void> {
    this.#enter({ name: 'loading' });
    const { ctx, recordStorage, outbox, limits, log } = this.#options;
    const arriving = arrivalUnderWay(ctx.storage);
    if (arriving !== undefined) {
      outbox.expectOwner(arriving.owner);
      this.#enter({ name: 'arriving' });
      return;
    }
    const records = await openAccountRecords({
      storage: recordStorage,
      log,
      scheduler: new FairScheduler({ sliceMs: Infinity }),
      limits,
      searchMaxCharacters: SEARCH_MAX_CHARACTERS,
      // Memory and storage may differ, so this object ends. The next call creates a new one,
      // which reads the stored records.
      onStorageLost: () => ctx.abort('storage is in doubt'),
    });
    if (recordStorage.hasTables) {
      outbox.load();
      await outbox.resume();
    }
    this.#enter({ name: 'serving', records });
  }

  /** Stores the sample account's rows at the first request for it. */
  async #seed(): Promise<void> {
    const { recordStorage } = this.#options;
    if (recordStorage.hasTables) return;
    const result = await recordStorage.commit({
      puts: sampleRows(),
      removals: [],
      sequences: {},
      events: [],
      at: Date.now(),
    });
    if (result.status !== 'committed') throw result.error;
    await this.#load();
  }
}

/** The answer to every request for records while they are not served. */
export function notServed(): Outcome<never> {
  const { failure } = failed(
    'STORAGE_UNAVAILABLE',
    'nothing was changed: the account is being loaded, or set back; try again later',
  );
  return { ok: false, failure: { ...failure, retryAfterSeconds: RETRY_AFTER_SECONDS } };
}
