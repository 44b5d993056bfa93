// The operator's views across accounts, computed from the in-memory set when
// asked: there is no second count that could disagree with the records.

import { COLLECTION_NAMES, type CollectionName, forEachCollection } from '../domain/collections.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { offsetOf, type Page, type PageRequest } from '../domain/listing.js';
import { textMatcher } from '../domain/search.js';
import type { Journal } from './journal.js';
import type { RecordSet } from './record-set.js';
import type {
  AccountPage,
  AccountProfile,
  AccountSummary,
  OperatorViews,
  Overview,
  RecordCounts,
  ResourceUsage,
  Usage,
} from './record-store.js';
import type { Scan, Turns } from './turns.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface MemoryOperatorContext {
  readonly set: RecordSet;
  readonly journal: Journal;
  readonly turns: Turns;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class MemoryOperator implements OperatorViews {
  readonly #context: MemoryOperatorContext;

  constructor(context: MemoryOperatorContext) {
    this.#context = context;
  }

  async overview(): Promise<Overview> {
    const { set } = this.#context;
    const resources = forEachCollection((name) => {
      let records = 0;
      for (const list of set.lists(name)) records += list.length;
      return records;
    });
    return { tenant_count: set.ownerCount, record_count: sum(resources), resources };
  }

  async accounts(q: string, page: PageRequest): Promise<AccountPage> {
    const { set } = this.#context;
    // A search waits between its slices: an account may have lost its last record meanwhile.
    const owners = (await this.#matchingOwners(q)).filter((owner) => set.has(owner)).sort();
    const first = offsetOf(page);
    const items = owners.slice(first, first + page.pageSize).map((owner) => this.#summary(owner));
    return { items, total: owners.length };
  }

  async account(owner: string): Promise<Outcome<AccountProfile>> {
    const { set } = this.#context;
    if (!set.has(owner)) {
      return failed('NOT_FOUND', `no record is stored for the account ${JSON.stringify(owner)}`);
    }
    const profiles = set.records(owner, 'businesses').map((record) => record.text);
    return succeeded({ summary: this.#summary(owner), profiles: profiles.reverse() });
  }

  async usage(): Promise<Usage> {
    const scan = this.#context.turns.scan();
    const resources = forEachCollection<ResourceUsage>(() => NO_USAGE);
    for (const name of COLLECTION_NAMES) resources[name] = await this.#usageOf(name, scan);
    const events = await this.#context.journal.auditEvents({ page: 1, pageSize: 1 });
    const all = Object.values(resources);
    return {
      record_count: all.reduce((count, { records }) => count + records, 0),
      payload_bytes: all.reduce((bytes, { payload_bytes }) => bytes + payload_bytes, 0),
      resources,
      audit_event_count: events.total,
    };
  }

  auditEvents(page: PageRequest): Promise<Page> {
    return this.#context.journal.auditEvents(page);
  }

  ping(): Promise<void> {
    return this.#context.journal.ping();
  }

  /** `q` looks in the subject and in the account's business profiles. */
  async #matchingOwners(q: string): Promise<string[]> {
    const { set, turns } = this.#context;
    const owners = set.owners();
    if (q === '') return owners;
    const contains = textMatcher(q);
    const scan = turns.scan();
    const matching: string[] = [];
    for (const owner of owners) {
      const profiles = set.records(owner, 'businesses').map((record) => record.text);
      const texts = [owner, ...profiles];
      for (const text of texts) if (scan.spend(text.length)) await scan.next();
      if (texts.some(contains)) matching.push(owner);
    }
    return matching;
  }

  #summary(owner: string): AccountSummary {
    const { set } = this.#context;
    const resources = forEachCollection((name) => set.records(owner, name).length);
    return { owner_sub: owner, record_count: sum(resources), resources };
  }

  async #usageOf(collection: CollectionName, scan: Scan): Promise<ResourceUsage> {
    const { set, clock } = this.#context;
    const now = clock();
    const usage = { records: 0, bytes: 0, day: 0, week: 0, month: 0, updatedAt: 0 };
    for (const list of set.lists(collection)) {
      for (const record of list.slice()) {
        if (scan.spend(record.text.length)) await scan.next();
        const age = now - record.createdAt;
        usage.records++;
        usage.bytes += utf8Length(record.text);
        if (age < DAY_MS) usage.day++;
        if (age < 7 * DAY_MS) usage.week++;
        if (age < 30 * DAY_MS) usage.month++;
        usage.updatedAt = Math.max(usage.updatedAt, record.updatedAt);
      }
    }
    return {
      records: usage.records,
      payload_bytes: usage.bytes,
      created_last_24_hours: usage.day,
      created_last_7_days: usage.week,
      created_last_30_days: usage.month,
      last_updated_at: usage.records === 0 ? null : new Date(usage.updatedAt).toISOString(),
    };
  }
}

const NO_USAGE: ResourceUsage = {
  records: 0,
  payload_bytes: 0,
  created_last_24_hours: 0,
  created_last_7_days: 0,
  created_last_30_days: 0,
  last_updated_at: null,
};

function sum(counts: RecordCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Bytes of a text in UTF-8, without encoding it. A record's text has no lone surrogates. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // Two bytes below U+0800, three above; a surrogate pair is four for its two units.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
