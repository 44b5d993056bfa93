// The in-memory records over the test's own storage, with bodies as objects.

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import type { Outcome } from '../../src/core/domain/errors.js';
import { silentLog } from '../../src/core/log.js';
import { NO_LIMITS } from '../../src/core/records/account-limits.js';
import { MemoryAccount } from '../../src/core/records/memory-account.js';
import { RecordSet } from '../../src/core/records/record-set.js';
import { SearchBlocks } from '../../src/core/records/search-blocks.js';
import { Writer, type WriterOptions } from '../../src/core/records/writer.js';
import { MapStorage } from './map-storage.js';

type MemoryRecordsOptions = Partial<WriterOptions> & { readonly storage?: MapStorage };

export type ObjectAccount = ReturnType<MemoryRecords['account']>;

export class MemoryRecords {
  readonly set: RecordSet;
  readonly storage: MapStorage;
  readonly writer: Writer;
  readonly #context: ConstructorParameters<typeof MemoryAccount>[0];

  constructor(options: MemoryRecordsOptions = {}) {
    const { limits = NO_LIMITS, scheduler = new FairScheduler({ pause: turn }) } = options;
    this.set = options.set ?? new RecordSet({ countsBytes: limits.maxBytes > 0 });
    this.storage = options.storage ?? new MapStorage();
    const defaults = { log: silentLog, events: undefined, clock: Date.now, onStorageLost() {} };
    const parts = { set: this.set, storage: this.storage, limits, scheduler };
    this.writer = new Writer({ ...defaults, ...options, ...parts });
    const { set, writer } = this;
    this.#context = { set, writer, searchBlocks: new SearchBlocks(), scheduler };
  }

  account(owner: string, requestContext: { actor?: 'admin'; isDisconnected?: () => boolean } = {}) {
    const { actor, isDisconnected = () => false } = requestContext;
    const records = new MemoryAccount(this.#context, owner, { actor, isDisconnected });
    return {
      records,
      list: records.list.bind(records),
      read: records.read.bind(records),
      create: (collection: CollectionName, body: object) =>
        records.create(collection, JSON.stringify(body)),
      update: (collection: CollectionName, id: string, body: object) =>
        records.update(collection, id, JSON.stringify(body)),
      delete: records.delete.bind(records),
    };
  }

  /** Runs the writes while a commit is in progress, so that they form one group after it. */
  async asOneGroup(writes: () => Promise<Outcome<string>>[]): Promise<string[]> {
    const { storage } = this;
    storage.hold();
    const first = this.account('first').create('team', { name: 'Asha', phone: '1' });
    const begun = storage.commits.length + 1;
    await storage.begun(begun);
    const group = writes();
    storage.release();
    const outcomes = await Promise.all([first, ...group]);
    expect(storage.commits.length).toBeLessThanOrEqual(begun + 1);
    return outcomes.slice(1).map(codeOf);
  }
}

export function codeOf(outcome: Outcome<string>): string {
  return outcome.ok ? 'ok' : outcome.failure.code;
}

/** Only size ends a group, because the clock stands still. */
export const unsliced = () => new FairScheduler({ pause: turn, stopwatch: () => 0 });

/** The complete text of a result's rows. */
export async function textOfRows(rows: readonly string[] | AsyncIterable<string>): Promise<string> {
  let text = '';
  if (Array.isArray(rows)) return rows.join(',');
  for await (const piece of rows as AsyncIterable<string>) text += piece;
  return text;
}
