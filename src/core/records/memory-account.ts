// One account's records, read from the in-memory set; changes go through the writer.

import type { FairScheduler } from '../admission/fair-scheduler.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { type ListQuery, offsetOf, type Page, type RowsPage } from '../domain/listing.js';
import { paymentRow } from '../domain/payment.js';
import { Needle, type YieldIfNeeded } from '../domain/search.js';
import type { ListSnapshot } from './record-list.js';
import type { AccountProfile, AccountRecords, Caller, RequestContext } from './record-service.js';
import type { RecordSet } from './record-set.js';
import { SEPARATOR, type SearchBlocks } from './search-blocks.js';
import { totalsOf } from './usage-view.js';
import type { Writer } from './writer.js';
import { notFound } from './writes.js';

export interface MemoryAccountContext {
  readonly set: RecordSet;
  readonly writer: Writer;
  readonly searchBlocks: SearchBlocks;
  readonly scheduler: FairScheduler;
}

export class MemoryAccount implements AccountRecords {
  readonly #context: MemoryAccountContext;
  readonly #caller: Caller;

  constructor(context: MemoryAccountContext, owner: string, requestContext?: RequestContext) {
    this.#context = context;
    this.#caller = { owner, requestContext };
  }

  /** "Newest first"; "filtering happens before pagination". */
  list(collection: CollectionName, query: ListQuery): Page | Promise<Page> {
    const { set, searchBlocks } = this.#context;
    if (query.q !== '' || query.status !== '') {
      const list = set.snapshot(this.#caller.owner, collection);
      return filteredPage(list, searchBlocks, this.#yieldIfNeeded, query);
    }
    // A slice of the list, so the cost of an unfiltered page does not depend on the list's length.
    const list = set.list(this.#caller.owner, collection);
    if (list === undefined) return { items: [], total: 0 };
    const page = list.page(offsetOf(query), query.pageSize);
    return { items: page.map(({ text }) => text), total: list.length };
  }

  read(collection: CollectionName, id: string): Outcome<string> {
    const record = this.#context.set.find(this.#caller.owner, collection, id);
    return record === undefined ? notFound(collection, id) : succeeded(record.text);
  }

  create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    return this.#context.writer.write('create', this.#caller, collection, '', body);
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    return this.#context.writer.write('update', this.#caller, collection, id, body);
  }

  /** "Permanently removes the record." */
  delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#context.writer.write('delete', this.#caller, collection, id, '');
  }

  async payments(): Promise<RowsPage> {
    const { set } = this.#context;
    const { owner } = this.#caller;
    const total = set.list(owner, 'orders')?.length ?? 0;
    return { items: this.#paymentRows(set.snapshot(owner, 'orders')), total };
  }

  /** Comma-separated rows, one for each order, newest first, computed as they are read. */
  async *#paymentRows(chunks: ListSnapshot): AsyncGenerator<string> {
    const yieldIfNeeded = this.#yieldIfNeeded;
    let separator = '';
    for (const chunk of chunks.toReversed()) {
      let rows = '';
      for (const { text } of chunk.toReversed()) {
        const turn = yieldIfNeeded();
        if (turn !== undefined) await turn;
        rows += separator + paymentRow(text);
        separator = ',';
      }
      yield rows;
    }
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    const { set } = this.#context;
    const { owner } = this.#caller;
    if (!set.has(owner)) {
      return failed('NOT_FOUND', `no record is stored for the account ${JSON.stringify(owner)}`);
    }
    const list = set.list(owner, 'businesses');
    const profiles = list?.page(0, list.length).map(({ text }) => text) ?? [];
    return succeeded({ summary: { owner_sub: owner, ...totalsOf(set.countsOf(owner)) }, profiles });
  }

  /** A new function for each search or payments view. It rejects if the client has disconnected. */
  get #yieldIfNeeded(): YieldIfNeeded {
    const { scheduler } = this.#context;
    return () =>
      scheduler.yieldIfNeeded(this.#caller.owner, this.#caller.requestContext?.isDisconnected);
  }
}

/** The records of the query's status that contain its `q`. */
export async function filteredPage(
  list: ListSnapshot,
  blocks: SearchBlocks,
  yieldIfNeeded: YieldIfNeeded,
  query: ListQuery,
): Promise<Page> {
  const { q, status: wanted, pageSize } = query;
  const items: string[] = [];
  let total = 0;
  // No record's JSON text contains it.
  if (q.includes(SEPARATOR)) return { items, total };
  const matchesIn = q === '' ? undefined : blocks.matcher(new Needle(q), yieldIfNeeded);
  const first = offsetOf(query);
  for (const chunk of list.toReversed()) {
    const turn = yieldIfNeeded();
    if (turn !== undefined) await turn;
    const records = matchesIn === undefined ? chunk.toReversed() : await matchesIn(chunk);
    for (const { status, text } of records) {
      // A record without `status` passes any filter.
      if (wanted !== '' && status !== undefined && status !== wanted) continue;
      if (total >= first && items.length < pageSize) items.push(text);
      total++;
    }
  }
  return { items, total };
}
