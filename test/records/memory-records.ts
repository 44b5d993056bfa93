// The in-memory records over a storage of the test's own, with bodies as objects.

import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import type { Actor } from '../../src/core/domain/audit-event.js';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { type Log, silentLog } from '../../src/core/log.js';
import { type AccountLimits, NO_LIMITS } from '../../src/core/records/account-limits.js';
import { MemoryAccount } from '../../src/core/records/memory-account.js';
import { PaymentRows } from '../../src/core/records/payment-rows.js';
import { RecordSet } from '../../src/core/records/record-set.js';
import { type RecordWork, workInPlace } from '../../src/core/records/record-work.js';
import { SearchBlocks } from '../../src/core/records/search-blocks.js';
import { Writer, type WriterOptions } from '../../src/core/records/writer.js';
import { MapStorage, turn } from './map-storage.js';

export interface MemoryRecordsOptions {
  readonly set?: RecordSet;
  readonly storage?: MapStorage;
  readonly log?: Log;
  readonly scheduler?: FairScheduler;
  readonly work?: RecordWork;
  readonly limits?: AccountLimits;
  readonly events?: WriterOptions['events'];
  readonly onStorageLost?: (error: unknown) => void;
}

/** On whose behalf an account is used in a test. */
export interface TestSender {
  readonly actor?: Actor;
  readonly isDisconnected?: () => boolean;
}

export class MemoryRecords {
  readonly set: RecordSet;
  readonly storage: MapStorage;
  readonly writer: Writer;
  readonly #context: ConstructorParameters<typeof MemoryAccount>[0];

  constructor(options: MemoryRecordsOptions = {}) {
    const { limits = NO_LIMITS, work = workInPlace, onStorageLost = () => {} } = options;
    const { scheduler = new FairScheduler({ pause: turn }), log = silentLog } = options;
    const { events, storage = new MapStorage() } = options;
    this.set = options.set ?? new RecordSet({ countsBytes: limits.maxBytes > 0 });
    this.storage = storage;
    const { set } = this;
    this.writer = new Writer({
      set,
      storage,
      work,
      limits,
      scheduler,
      log,
      events,
      clock: Date.now,
      onStorageLost,
    });
    const [searchBlocks, paymentRows] = [new SearchBlocks(), new PaymentRows(work)];
    const { writer } = this;
    this.#context = { set, writer, searchBlocks, paymentRows, scheduler };
  }

  account(owner: string, { actor, isDisconnected = () => false }: TestSender = {}): ObjectAccount {
    return new ObjectAccount(new MemoryAccount(this.#context, owner, { actor, isDisconnected }));
  }
}

/** An account whose bodies are objects. */
export class ObjectAccount {
  readonly records: MemoryAccount;

  constructor(records: MemoryAccount) {
    this.records = records;
  }

  list(...args: Parameters<MemoryAccount['list']>) {
    return this.records.list(...args);
  }

  read(collection: CollectionName, id: string) {
    return this.records.read(collection, id);
  }

  create(collection: CollectionName, body: object) {
    return this.records.create(collection, JSON.stringify(body));
  }

  update(collection: CollectionName, id: string, body: object) {
    return this.records.update(collection, id, JSON.stringify(body));
  }

  delete(collection: CollectionName, id: string) {
    return this.records.delete(collection, id);
  }
}

/** The text of an answer's rows, whole. */
export async function textOfRows(rows: readonly string[] | AsyncIterable<string>): Promise<string> {
  let text = '';
  if (Array.isArray(rows)) return rows.join(',');
  for await (const piece of rows as AsyncIterable<string>) text += piece;
  return text;
}
