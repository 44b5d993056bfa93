// One account's records, answered from the in-memory set; changes go through the writer.

import { type AuditEvent, changedNames } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import type { ListQuery, Page, RowsPage } from '../domain/listing.js';
import { type ChangedRecord, identified } from '../domain/record.js';
import { andThen, type Eventually } from '../eventually.js';
import type { Turns } from '../turns.js';
import { type AccountLimits, quotaFailure } from './account-limits.js';
import type { CurrentRecords, Decision } from './commit-group.js';
import { newestPage, searchedPage, statusPage } from './list-pages.js';
import { type MemoryRecord, memoryRecord } from './memory-record.js';
import type { PaymentRows } from './payment-rows.js';
import type { Change, RecordSet } from './record-set.js';
import type { AccountProfile, AccountRecords, AccountSummary, Sender } from './record-store.js';
import type { RecordWork } from './record-work.js';
import type { SearchBlocks } from './search-blocks.js';
import { utf8Length } from './utf8-length.js';
import type { Decide, Writer } from './writer.js';

/** Of one UTF-16 unit. */
const UTF8_MAX_BYTES = 3;

export interface MemoryAccountContext {
  readonly set: RecordSet;
  readonly writer: Writer;
  readonly work: RecordWork;
  readonly limits: AccountLimits;
  readonly searchBlocks: SearchBlocks;
  readonly paymentRows: PaymentRows;
  readonly turns: Turns;
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
    const { set, searchBlocks, turns } = this.#context;
    if (query.q === '' && query.status === '') {
      return newestPage(set.records(this.#owner, collection), query);
    }
    const list = { owner: this.#owner, records: set.snapshot(this.#owner, collection), turns };
    if (query.q === '') return statusPage(list, query);
    const parts = searchBlocks.parts(`${collection}/${this.#owner}`, list.records);
    return searchedPage(list, parts, query);
  }

  read(collection: CollectionName, id: string): Outcome<string> {
    const record = this.#context.set.find(this.#owner, collection, id);
    return record === undefined ? notFound(collection, id) : succeeded(record.text);
  }

  create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    return this.#write(() =>
      andThen(this.#context.work.newRecord(collection, body), (outcome): Decide => {
        if (!outcome.ok) return () => ({ outcome, isOfBody: true });
        return (current) => this.#created(current, collection, outcome.value);
      }),
    );
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    return this.#write((current) => {
      const before = current.find(this.#owner, collection, id);
      const patched = this.#context.work.patchedRecord(collection, before?.text ?? '{}', body);
      return andThen(patched, (outcome): Decide => {
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
      return () => this.#changed('delete', id, { collection, before }, []);
    });
  }

  async payments(): Promise<RowsPage> {
    const { set, paymentRows } = this.#context;
    const orders = set.snapshot(this.#owner, 'orders');
    return { items: paymentRows.of(this.#owner, orders), total: orders.length };
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    const { set } = this.#context;
    if (!set.has(this.#owner)) {
      const owner = JSON.stringify(this.#owner);
      return failed('NOT_FOUND', `no record is stored for the account ${owner}`);
    }
    const profiles = set.records(this.#owner, 'businesses').map(({ text }) => text);
    const summary = accountSummary(set, this.#owner);
    return succeeded({ summary, profiles: profiles.reverse() });
  }

  #write(judge: (current: CurrentRecords) => Eventually<Decide>): Promise<Outcome<string>> {
    const [account, sender] = [this.#owner, this.#sender];
    return this.#context.writer.write({
      account,
      hasGone: () => sender?.hasGone() ?? false,
      judge,
    });
  }

  /** Gives the record its position and its id: here the order of creation is decided. */
  #created(
    current: CurrentRecords,
    collection: CollectionName,
    { text: given, status, changed }: ChangedRecord,
  ): Decision {
    const { set } = this.#context;
    const key = set.nextSequence(collection);
    const id = formatId(collection, key);
    const text = identified(collection, id, this.#owner, given);
    const refused = this.#refused(current, undefined, text);
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(set.nextPosition(), key, { text, status });
    return this.#changed('create', id, { collection, after }, changed);
  }

  #updated(
    current: CurrentRecords,
    collection: CollectionName,
    id: string,
    before: MemoryRecord,
    patched: ChangedRecord,
  ): Decision {
    const refused = this.#refused(current, before, patched.text);
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(before.position, before.key, patched);
    return this.#changed('update', id, { collection, before, after }, patched.changed);
  }

  /** A record that storage would not take fails alone, before it can fail the writes that are committed with it. */
  #refused(
    current: CurrentRecords,
    before: MemoryRecord | undefined,
    text: string,
  ): Outcome<string> | undefined {
    const { set, writer, limits } = this.#context;
    if (text.length * UTF8_MAX_BYTES > writer.bodyMaxBytes) {
      const bytes = utf8Length(text);
      if (bytes > writer.bodyMaxBytes) return tooLarge(bytes, writer.bodyMaxBytes);
    }
    if (limits.maxBytes === 0 && limits.maxRecords === 0) return undefined;
    return quotaFailure(limits, current.holding(this.#owner), {
      records: before === undefined ? 1 : 0,
      bytes: utf8Length(text) - set.bytesOf(before),
    });
  }

  #changed(
    action: AuditEvent['action'],
    id: string,
    change: Omit<Change, 'owner'>,
    changed: readonly string[],
  ): Decision {
    const outcome = succeeded(change.after?.text ?? id);
    const decision = { outcome, change: { ...change, owner: this.#owner } };
    const actor = this.#sender?.actor;
    if (actor === undefined) return decision;
    const event: AuditEvent = {
      actor,
      action,
      resource: change.collection,
      record_id: id,
      owner_sub: this.#owner,
      timestamp: new Date(this.#context.clock()).toISOString(),
      ...changedNames(changed),
    };
    return { ...decision, event };
  }
}

/** An account's row in the operator's list. */
export function accountSummary(set: RecordSet, owner: string): AccountSummary {
  const { records } = set.holding(owner);
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
