// The operator's views across accounts, computed from the in-memory set when
// asked: there is no second count that could disagree with the records.

import { byCollection } from '../domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { offsetOf, type Page, type PageRequest } from '../domain/listing.js';
import { textMatcher } from '../domain/search.js';
import type { Journal, StoredUsage } from './journal.js';
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
import type { Turns } from './turns.js';

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
    const resources = byCollection((name) => set.count(name));
    return { tenant_count: set.ownerCount, record_count: sum(resources), resources };
  }

  async accounts(q: string, page: PageRequest): Promise<AccountPage> {
    const { set } = this.#context;
    const first = offsetOf(page);
    if (q === '') {
      const items = set.owners.slice(first, page.pageSize).map((owner) => this.#summary(owner));
      return { items, total: set.ownerCount };
    }
    // A search waits between its slices: an account may have lost its last record meanwhile.
    const owners = (await this.#matchingOwners(q)).filter((owner) => set.has(owner));
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

  /** Asked of storage: sizes and times are in no one's way there, and take no memory here. */
  async usage(): Promise<Usage> {
    const { journal, clock } = this.#context;
    const now = clock();
    const times = [now - DAY_MS, now - 7 * DAY_MS, now - 30 * DAY_MS] as const;
    const { collections: stored, auditEventCount } = await journal.usage(times);
    return {
      record_count: stored.reduce((count, { records }) => count + records, 0),
      payload_bytes: stored.reduce((bytes, { payloadBytes }) => bytes + payloadBytes, 0),
      resources: byCollection((name) =>
        resourceUsage(stored.find(({ collection }) => collection === name)),
      ),
      audit_event_count: auditEventCount,
    };
  }

  auditEvents(page: PageRequest): Promise<Page> {
    return this.#context.journal.auditEvents(page);
  }

  ping(): Promise<void> {
    return this.#context.journal.ping();
  }

  /** In order. `q` looks in the subject and in the account's business profiles. */
  async #matchingOwners(q: string): Promise<string[]> {
    const { set, turns } = this.#context;
    const contains = textMatcher(q);
    const scan = turns.scan();
    const matching: string[] = [];
    let some = set.owners.after(undefined);
    while (some.length > 0) {
      for (const owner of some) {
        const profiles = set.records(owner, 'businesses').map((record) => record.text);
        const texts = [owner, ...profiles];
        for (const text of texts) if (scan.spend(text.length)) await scan.next();
        if (texts.some(contains)) matching.push(owner);
      }
      // As they are now: accounts come and go while this waits.
      some = set.owners.after(some.at(-1));
    }
    return matching;
  }

  #summary(owner: string): AccountSummary {
    const { set } = this.#context;
    const resources = byCollection((name) => set.records(owner, name).length);
    return { owner_sub: owner, record_count: sum(resources), resources };
  }
}

function resourceUsage(stored: StoredUsage | undefined): ResourceUsage {
  const [day, week, month] = stored?.createdAfter ?? [0, 0, 0];
  return {
    records: stored?.records ?? 0,
    payload_bytes: stored?.payloadBytes ?? 0,
    created_last_24_hours: day,
    created_last_7_days: week,
    created_last_30_days: month,
    last_updated_at: stored === undefined ? null : new Date(stored.lastUpdatedAt).toISOString(),
  };
}

function sum(counts: RecordCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
