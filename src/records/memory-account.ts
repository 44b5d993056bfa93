// One account's records, answered from the in-memory set; changes go through the writer.

import type { Actor, AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import type { JsonObject } from '../domain/json.js';
import { RECORD_MAX_CHARACTERS } from '../domain/limits.js';
import { type ListQuery, offsetOf, type Page } from '../domain/listing.js';
import { paymentOfText } from '../domain/payment.js';
import {
  createdProperties,
  newRecord,
  type PatchedRecord,
  patchedRecord,
  validated,
} from '../domain/record.js';
import { andThen, type Eventually } from '../eventually.js';
import { type Change, type MemoryRecord, memoryRecord, type RecordSet } from './record-set.js';
import type { AccountRecords } from './record-store.js';
import { recordFinder, type SearchBlocks } from './search-blocks.js';
import type { Turns } from './turns.js';
import type { Decision, Writer } from './writer.js';

/** Of one UTF-16 unit. */
const UTF8_MAX_BYTES = 3;

const encoder = new TextEncoder();

export interface MemoryAccountContext {
  readonly set: RecordSet;
  readonly writer: Writer;
  readonly searchBlocks: SearchBlocks;
  readonly turns: Turns;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class MemoryAccount implements AccountRecords {
  readonly #context: MemoryAccountContext;
  readonly #owner: string;
  readonly #actor: Actor | undefined;

  constructor(context: MemoryAccountContext, owner: string, actor?: Actor) {
    this.#context = context;
    this.#owner = owner;
    this.#actor = actor;
  }

  list(collection: CollectionName, query: ListQuery): Eventually<Page> {
    if (query.q !== '') return this.#searchedPage(collection, query);
    if (query.status !== '') return this.#filteredPage(collection, query);
    return newestPage(this.#context.set.records(this.#owner, collection), query);
  }

  read(collection: CollectionName, id: string): Outcome<string> {
    const record = this.#context.set.find(this.#owner, collection, id);
    return record === undefined ? notFound(collection, id) : succeeded(record.text);
  }

  async create(collection: CollectionName, body: JsonObject): Promise<Outcome<string>> {
    // No other record is needed to judge a new one, so a bad one never enters the writer,
    // and to make it, so that is done while an earlier commit is under way.
    const verdict = validated(collection, body);
    if (!verdict.ok) return verdict;
    const { set, writer } = this.#context;
    const key = set.nextSequence(collection);
    const id = formatId(collection, key);
    const record = newRecord(collection, body, id, this.#owner);
    const refused = this.#refusedByStorage(record.text);
    if (refused !== undefined) return refused;
    // Records are stored in the order of their positions: from here on nothing waits.
    const after = memoryRecord(set.nextPosition(), key, record);
    const decision = this.#changed('create', id, { collection, after }, () =>
      createdProperties(collection, body),
    );
    return writer.write(() => decision);
  }

  async update(collection: CollectionName, id: string, body: JsonObject): Promise<Outcome<string>> {
    const { writer, turns } = this.#context;
    return writer.write((current) => {
      const before = current.find(this.#owner, collection, id);
      if (before === undefined) return { outcome: notFound(collection, id) };
      const patched = turns.take(patchedRecord(collection, before.text, body));
      return andThen(patched, (outcome) => {
        if (!outcome.ok) return { outcome };
        return this.#updated(collection, id, before, outcome.value);
      });
    });
  }

  #updated(
    collection: CollectionName,
    id: string,
    before: MemoryRecord,
    patched: PatchedRecord,
  ): Decision {
    const { text } = patched;
    // A create may have made it longer: it may stay, and shrink.
    if (text.length > Math.max(RECORD_MAX_CHARACTERS, before.text.length)) {
      return { outcome: tooLong(text) };
    }
    const refused = this.#refusedByStorage(text);
    if (refused !== undefined) return { outcome: refused };
    const after = memoryRecord(before.position, before.key, patched);
    return this.#changed('update', id, { collection, before, after }, () => patched.changed);
  }

  async delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#context.writer.write((current) => {
      const before = current.find(this.#owner, collection, id);
      if (before === undefined) return { outcome: notFound(collection, id) };
      return this.#changed('delete', id, { collection, before }, () => []);
    });
  }

  async payments(): Promise<Page> {
    const orders = [...this.#context.set.records(this.#owner, 'orders')].reverse();
    const scan = this.#context.turns.scan();
    const rows: string[] = [];
    for (const order of orders) {
      // Parsing costs about ten times what scanning does.
      if (scan.spend(order.text.length * 10)) await scan.next();
      rows.push(JSON.stringify(paymentOfText(order.text)));
    }
    return { items: rows, total: rows.length };
  }

  /** The records that contain `q`, and are of the status if there is one. */
  async #searchedPage(collection: CollectionName, query: ListQuery): Promise<Page> {
    const { set, searchBlocks, turns } = this.#context;
    const find = recordFinder(query.q);
    const scan = turns.scan();
    const filtered = new FilteredPage(query);
    const snapshot = set.snapshot(this.#owner, collection);
    const name = `${collection}/${this.#owner}`;
    for (const { block, foldedRecords } of searchBlocks.steps(name, snapshot)) {
      if (scan.spend(block.characters, foldedRecords)) await scan.next();
      for (const record of block.matches(find)) filtered.take(record);
    }
    return filtered.page;
  }

  /** The records of a status. */
  async #filteredPage(collection: CollectionName, query: ListQuery): Promise<Page> {
    const snapshot = this.#context.set.snapshot(this.#owner, collection);
    const scan = this.#context.turns.scan();
    const filtered = new FilteredPage(query);
    for (let i = snapshot.length - 1; i >= 0; i--) {
      const record = snapshot[i];
      if (record === undefined) break;
      if (scan.spend(0)) await scan.next();
      filtered.take(record);
    }
    return filtered.page;
  }

  /** A record that storage would not take fails alone, before it can fail the writes that are committed with it. */
  #refusedByStorage(text: string): Outcome<string> | undefined {
    const { bodyMaxBytes } = this.#context.writer;
    if (text.length * UTF8_MAX_BYTES <= bodyMaxBytes) return undefined;
    const bytes = encoder.encode(text).length;
    return bytes > bodyMaxBytes ? tooLarge(bytes, bodyMaxBytes) : undefined;
  }

  #changed(
    action: AuditEvent['action'],
    id: string,
    change: Omit<Change, 'owner'>,
    changed: () => readonly string[],
  ): Decision {
    const outcome = succeeded(change.after?.text ?? id);
    const decision = { outcome, change: { ...change, owner: this.#owner } };
    if (this.#actor === undefined) return decision;
    const event: AuditEvent = {
      actor: this.#actor,
      action,
      resource: change.collection,
      record_id: id,
      owner_sub: this.#owner,
      timestamp: new Date(this.#context.clock()).toISOString(),
      changed: changed(),
    };
    return { ...decision, event };
  }
}

/** Filters by status first, then pages: the total counts every match, the page keeps only its own. */
class FilteredPage {
  readonly #items: string[] = [];
  #total = 0;
  readonly #status: string;
  readonly #first: number;
  readonly #size: number;

  constructor(query: ListQuery) {
    this.#status = query.status;
    this.#first = offsetOf(query);
    this.#size = query.pageSize;
  }

  /** Records come newest first. One without `status` passes any filter; one that has it must equal it. */
  take({ status, text }: MemoryRecord): void {
    if (this.#status !== '' && status !== undefined && status !== this.#status) return;
    if (this.#total >= this.#first && this.#items.length < this.#size) this.#items.push(text);
    this.#total++;
  }

  get page(): Page {
    return { items: this.#items, total: this.#total };
  }
}

/** Without a filter a page is a piece of the list: its cost does not depend on how long the list is. */
function newestPage(records: readonly MemoryRecord[], query: ListQuery): Page {
  const end = Math.max(records.length - offsetOf(query), 0);
  const start = Math.max(end - query.pageSize, 0);
  const items: string[] = [];
  for (let i = end - 1; i >= start; i--) {
    const record = records[i];
    if (record !== undefined) items.push(record.text);
  }
  return { items, total: records.length };
}

function tooLong(text: string): Outcome<string> {
  return failed(
    'VALIDATION_FAILED',
    `the record would have ${text.length} characters of JSON; it may have ${RECORD_MAX_CHARACTERS}, spread it over several records`,
  );
}

function tooLarge(bytes: number, bodyMaxBytes: number): Outcome<string> {
  return failed(
    'STORAGE_FAILED',
    `the record would take ${bytes} bytes; storage here takes ${bodyMaxBytes}, spread it over several records`,
  );
}

function notFound(collection: CollectionName, id: string): Outcome<string> {
  return failed('NOT_FOUND', `${collection} has no record ${JSON.stringify(id)} in this account`);
}
