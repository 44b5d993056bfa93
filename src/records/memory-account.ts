// One account's records, answered from the in-memory set; changes go through the writer.

import type { Actor, AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import type { JsonObject } from '../domain/json.js';
import { RECORD_MAX_CHARACTERS } from '../domain/limits.js';
import { type ListQuery, offsetOf, type Page } from '../domain/listing.js';
import { paymentOf } from '../domain/payment.js';
import {
  changedProperties,
  createdProperties,
  mergedRecord,
  newRecord,
  validated,
} from '../domain/record.js';
import { textMatcher } from '../domain/search.js';
import type { Eventually } from '../eventually.js';
import { type Change, type MemoryRecord, memoryRecord, type RecordSet } from './record-set.js';
import type { AccountRecords } from './record-store.js';
import type { Turns } from './turns.js';
import type { Decision, Writer } from './writer.js';

export interface MemoryAccountContext {
  readonly set: RecordSet;
  readonly writer: Writer;
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
    const records = this.#context.set.records(this.#owner, collection);
    const matches = matcher(query);
    return matches === undefined
      ? newestPage(records, query)
      : this.#filteredPage(records, query, matches);
  }

  read(collection: CollectionName, id: string): Outcome<string> {
    const record = this.#context.set.find(this.#owner, collection, id);
    return record === undefined ? notFound(collection, id) : succeeded(record.text);
  }

  async create(collection: CollectionName, body: JsonObject): Promise<Outcome<string>> {
    // No state is needed to judge a new record, so a bad one never enters the writer.
    const verdict = validated(collection, body);
    if (!verdict.ok) return verdict;
    return this.#context.writer.write(() => {
      const { set } = this.#context;
      const key = set.nextSequence(collection);
      const id = formatId(collection, key);
      const record = newRecord(collection, body, id, this.#owner);
      const after = memoryRecord(set.nextPosition(), key, JSON.stringify(record), record);
      return this.#changed('create', id, { collection, after }, () =>
        createdProperties(collection, body),
      );
    });
  }

  async update(collection: CollectionName, id: string, body: JsonObject): Promise<Outcome<string>> {
    return this.#context.writer.write((current) => {
      const before = current.find(this.#owner, collection, id);
      if (before === undefined) return { outcome: notFound(collection, id) };
      const old: JsonObject = JSON.parse(before.text);
      const merged = mergedRecord(old, body);
      const verdict = validated(collection, merged);
      if (!verdict.ok) return { outcome: verdict };
      const text = JSON.stringify(merged);
      if (text.length > RECORD_MAX_CHARACTERS) return { outcome: tooLong(text) };
      const after = memoryRecord(before.position, before.key, text, merged);
      return this.#changed('update', id, { collection, before, after }, () =>
        changedProperties(old, merged),
      );
    });
  }

  async delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#context.writer.write((current) => {
      const before = current.find(this.#owner, collection, id);
      if (before === undefined) return { outcome: notFound(collection, id) };
      return this.#changed('delete', id, { collection, before }, () => []);
    });
  }

  async payments(): Promise<readonly string[]> {
    const orders = [...this.#context.set.records(this.#owner, 'orders')].reverse();
    const scan = this.#context.turns.scan();
    const rows: string[] = [];
    for (const order of orders) {
      // Parsing costs about ten times what scanning does.
      if (scan.spend(order.text.length * 10)) await scan.next();
      rows.push(JSON.stringify(paymentOf(JSON.parse(order.text))));
    }
    return rows;
  }

  /** Filters first, then pages: the total counts every match, the page keeps only its own. */
  async #filteredPage(
    records: readonly MemoryRecord[],
    query: ListQuery,
    matches: (record: MemoryRecord) => boolean,
  ): Promise<Page> {
    const snapshot = records.slice();
    const scan = this.#context.turns.scan();
    const first = offsetOf(query);
    const items: string[] = [];
    let total = 0;
    for (let i = snapshot.length - 1; i >= 0; i--) {
      const record = snapshot[i];
      if (record === undefined) break;
      if (scan.spend(record.text.length)) await scan.next();
      if (!matches(record)) continue;
      if (total >= first && items.length < query.pageSize) items.push(record.text);
      total++;
    }
    return { items, total };
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

/** A record without `status` passes any status filter; one that has it must equal it. */
function matcher({ q, status }: ListQuery): ((record: MemoryRecord) => boolean) | undefined {
  if (q === '' && status === '') return undefined;
  const contains = q === '' ? undefined : textMatcher(q);
  return (record) =>
    (status === '' || record.status === undefined || record.status === status) &&
    (contains === undefined || contains(record.text));
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

function notFound(collection: CollectionName, id: string): Outcome<string> {
  return failed('NOT_FOUND', `${collection} has no record ${JSON.stringify(id)} in this account`);
}
