// One account's records, answered from the in-memory set; changes go through the writer.

import type { FairScheduler } from '../admission/fair-scheduler.js';
import type { AccountSummary } from '../domain/api-schema.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import type { ListQuery, Page, RowsPage } from '../domain/listing.js';
import type { GiveWay } from '../domain/search.js';
import type { MaybePromise } from '../maybe-promise.js';
import { filteredPage, newestPage } from './list-pages.js';
import type { PaymentRows } from './payment-rows.js';
import type { AccountProfile, AccountRecords, Sender } from './record-service.js';
import type { RecordSet } from './record-set.js';
import type { SearchBlocks } from './search-blocks.js';
import type { Writer } from './writer.js';
import { notFound } from './writes.js';

export interface MemoryAccountContext {
  readonly set: RecordSet;
  readonly writer: Writer;
  readonly searchBlocks: SearchBlocks;
  readonly paymentRows: PaymentRows;
  readonly scheduler: FairScheduler;
}

export class MemoryAccount implements AccountRecords {
  readonly #context: MemoryAccountContext;
  readonly #owner: string;
  readonly #sender: Sender | undefined;

  constructor(context: MemoryAccountContext, owner: string, sender?: Sender) {
    this.#context = context;
    this.#owner = owner;
    this.#sender = sender;
  }

  list(collection: CollectionName, query: ListQuery): MaybePromise<Page> {
    const { set, searchBlocks } = this.#context;
    const owner = this.#owner;
    if (query.q === '' && query.status === '')
      return newestPage(set.list(owner, collection), query);
    const list = set.snapshot(owner, collection);
    return filteredPage(`${collection}/${owner}`, list, searchBlocks, this.#giveWay, query);
  }

  read(collection: CollectionName, id: string): Outcome<string> {
    const record = this.#context.set.find(this.#owner, collection, id);
    return record === undefined ? notFound(collection, id) : succeeded(record.text);
  }

  create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    const { writer } = this.#context;
    return writer.write('create', this.#owner, collection, '', body, this.#sender);
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    const { writer } = this.#context;
    return writer.write('update', this.#owner, collection, id, body, this.#sender);
  }

  /** "Permanently removes the record": nothing keeps it, and nothing else is removed with it. */
  delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const { writer } = this.#context;
    return writer.write('delete', this.#owner, collection, id, '', this.#sender);
  }

  async payments(): Promise<RowsPage> {
    const { set, paymentRows } = this.#context;
    const orders = set.snapshot(this.#owner, 'orders');
    return { items: paymentRows.of(this.#owner, orders, this.#giveWay), total: orders.length };
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    const { set } = this.#context;
    if (!set.has(this.#owner)) {
      const owner = JSON.stringify(this.#owner);
      return failed('NOT_FOUND', `no record is stored for the account ${owner}`);
    }
    const list = set.list(this.#owner, 'businesses');
    const profiles = list?.page(0, list.length).map(({ text }) => text) ?? [];
    return succeeded({ summary: accountSummary(set, this.#owner), profiles });
  }

  /** Waits for the account's next slice if this one is used; ends the work of a client that has gone. */
  get #giveWay(): GiveWay {
    const { scheduler } = this.#context;
    return () =>
      scheduler.sliceUsed()
        ? scheduler.yield(this.#owner, this.#sender?.isDisconnected)
        : undefined;
  }
}

/** An account's row in the operator's list. */
export function accountSummary(set: RecordSet, owner: string): AccountSummary {
  const { records } = set.sizeOf(owner);
  return { owner_sub: owner, record_count: records, resources: set.countsOf(owner) };
}
