// One account's records, answered from the in-memory set; changes go through the writer.

import { type IsDisconnected, neverDisconnected } from '../admission/disconnected.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { type AuditEvent, changedNames } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import type { ListQuery, Page, RowsPage } from '../domain/listing.js';
import { type ChangedRecord, identified } from '../domain/record.js';
import { andThen, type Eventually } from '../eventually.js';
import type { AccountSummary } from '../operator-answers.js';
import { type AccountLimits, quotaFailure } from './account-limits.js';
import type { CurrentRecords, StagedWrite } from './commit-group.js';
import { type GiveWay, newestPage, searchedPage, statusPage } from './list-pages.js';
import { type MemoryRecord, memoryRecord } from './memory-record.js';
import type { PaymentRows } from './payment-rows.js';
import type { AccountProfile, AccountRecords, Sender } from './record-service.js';
import type { AccountSize, Change, RecordSet } from './record-set.js';
import type { RecordWork } from './record-work.js';
import type { SearchBlocks } from './search-blocks.js';
import { utf8Length } from './utf8-length.js';
import type { Stage, Writer } from './writer.js';

/** Of one UTF-16 unit. */
const UTF8_MAX_BYTES = 3;

export interface MemoryAccountContext {
  readonly set: RecordSet;
  readonly writer: Writer;
  readonly work: RecordWork;
  readonly limits: AccountLimits;
  readonly searchBlocks: SearchBlocks;
  readonly paymentRows: PaymentRows;
  readonly scheduler: FairScheduler;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
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

  list(collection: CollectionName, query: ListQuery): Eventually<Page> {
    const { set, searchBlocks } = this.#context;
    if (query.q === '' && query.status === '') {
      return newestPage(set.list(this.#owner, collection), query);
    }
    const snapshot = set.snapshot(this.#owner, collection);
    const giveWay = this.#giveWay;
    if (query.q === '') return statusPage(snapshot, giveWay, query);
    const parts = searchBlocks.parts(`${collection}/${this.#owner}`, snapshot);
    return searchedPage(parts, giveWay, query);
  }

  read(collection: CollectionName, id: string): Outcome<string> {
    const record = this.#context.set.find(this.#owner, collection, id);
    return record === undefined ? notFound(collection, id) : succeeded(record.text);
  }

  create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    return this.#write(() =>
      andThen(this.#context.work.newRecord(collection, body, this.#owner), (outcome): Stage => {
        if (!outcome.ok) return () => ({ outcome, isOfBody: true });
        return (current) => this.#created(current, collection, outcome.value);
      }),
    );
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    return this.#write((current) => {
      const before = current.find(this.#owner, collection, id);
      const stored = before?.text ?? '{}';
      const patched = this.#context.work.patchedRecord(collection, stored, body, this.#owner);
      return andThen(patched, (outcome): Stage => {
        // A body that is not one JSON object is 400 whether or not the record is there.
        if (!outcome.ok && outcome.failure.code === 'INVALID_JSON') {
          return () => ({ outcome, isOfBody: true });
        }
        if (before === undefined) return () => ({ outcome: notFound(collection, id) });
        if (!outcome.ok) return () => ({ outcome });
        return (now) => this.#updated(now, collection, id, before, outcome.value);
      });
    });
  }

  /** "Permanently removes the record": nothing keeps it, and nothing else is removed with it. */
  delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#write((current) => {
      const before = current.find(this.#owner, collection, id);
      if (before === undefined) return () => ({ outcome: notFound(collection, id) });
      const growth = this.#context.set.growth(before.text);
      const change = { owner: this.#owner, collection, before, growth };
      return () => this.#changed('delete', id, change, []);
    });
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

  /** Waits for the account's next slice where this one is used; ends the work of a client that has gone. */
  get #giveWay(): GiveWay {
    const { scheduler } = this.#context;
    return () =>
      scheduler.sliceUsed() ? scheduler.yield(this.#owner, this.#isDisconnected) : undefined;
  }

  get #isDisconnected(): IsDisconnected {
    return this.#sender?.isDisconnected ?? neverDisconnected;
  }

  #write(prepare: (current: CurrentRecords) => Eventually<Stage>): Promise<Outcome<string>> {
    return this.#context.writer.write({
      account: this.#owner,
      isDisconnected: this.#isDisconnected,
      prepare,
    });
  }

  /** Gives the record its position and its id: here the order of creation is decided. */
  #created(
    current: CurrentRecords,
    collection: CollectionName,
    { text: given, status, changed }: ChangedRecord,
  ): StagedWrite {
    const { set } = this.#context;
    const key = set.nextSequence(collection);
    const id = formatId(collection, key);
    const text = identified(collection, id, this.#owner, given);
    const growth = set.growth(undefined, text);
    const refused = this.#refused(current, text, { records: 1, bytes: growth });
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(set.nextPosition(), key, { text, status });
    const change = { owner: this.#owner, collection, after, growth };
    return this.#changed('create', id, change, changed);
  }

  #updated(
    current: CurrentRecords,
    collection: CollectionName,
    id: string,
    before: MemoryRecord,
    patched: ChangedRecord,
  ): StagedWrite {
    const growth = this.#context.set.growth(before.text, patched.text);
    const refused = this.#refused(current, patched.text, { records: 0, bytes: growth });
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(before.position, before.key, patched);
    const change = { owner: this.#owner, collection, before, after, growth };
    return this.#changed('update', id, change, patched.changed);
  }

  /** A record that storage would not take fails alone, before it can fail the writes that are committed with it. */
  #refused(
    current: CurrentRecords,
    text: string,
    growth: AccountSize,
  ): Outcome<string> | undefined {
    const { writer, limits } = this.#context;
    if (text.length * UTF8_MAX_BYTES > writer.bodyMaxBytes) {
      const bytes = utf8Length(text);
      if (bytes > writer.bodyMaxBytes) return tooLarge(bytes, writer.bodyMaxBytes);
    }
    if (limits.maxBytes === 0 && limits.maxRecords === 0) return undefined;
    return quotaFailure(limits, current.sizeOf(this.#owner), growth);
  }

  #changed(
    action: AuditEvent['action'],
    id: string,
    change: Change,
    changed: readonly string[],
  ): StagedWrite {
    const outcome = succeeded(change.after?.text ?? id);
    const actor = this.#sender?.actor;
    if (actor === undefined) return { outcome, change };
    const event: AuditEvent = {
      actor,
      action,
      resource: change.collection,
      record_id: id,
      owner_sub: this.#owner,
      timestamp: new Date(this.#context.clock()).toISOString(),
      ...changedNames(changed),
    };
    return { outcome, change, event };
  }
}

/** An account's row in the operator's list. */
export function accountSummary(set: RecordSet, owner: string): AccountSummary {
  const { records } = set.sizeOf(owner);
  return { owner_sub: owner, record_count: records, resources: set.countsOf(owner) };
}

function tooLarge(bytes: number, bodyMaxBytes: number): Outcome<string> {
  return failed(
    'VALIDATION_FAILED',
    `the record would take ${bytes} bytes; storage here takes ${bodyMaxBytes}, spread it over several records`,
  );
}

function notFound(collection: CollectionName, id: string): Outcome<never> {
  return failed('NOT_FOUND', `${collection} has no record ${JSON.stringify(id)} in this account`);
}
