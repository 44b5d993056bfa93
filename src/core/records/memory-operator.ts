// The operator's views across accounts, computed from the in-memory set when
// asked: there is no second count that could disagree with the records.

import type { FairScheduler } from '../admission/fair-scheduler.js';
import type { Overview, Usage } from '../domain/api-schema.js';
import { offsetOf, type Page } from '../domain/listing.js';
import { Needle } from '../domain/search.js';
import { accountSummary } from './memory-account.js';
import type { OperatorViews, ViewQuery } from './record-service.js';
import type { RecordSet } from './record-set.js';
import type { StoredViews } from './record-storage.js';
import { overviewOf, usageView, windowStarts } from './usage-view.js';

/** The operator's searches take turns with the accounts under this name, which can't be a subject: it is empty. */
const OPERATOR = '';

export interface MemoryOperatorContext {
  readonly set: RecordSet;
  readonly storage: StoredViews;
  readonly scheduler: FairScheduler;
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
    return overviewOf(set.ownerCount, (name) => set.count(name));
  }

  async accounts(query: ViewQuery): Promise<Page> {
    const { set } = this.#context;
    const { q, pageSize } = query;
    const first = offsetOf(query);
    const rows = (owners: readonly string[]) =>
      owners.map((owner) => JSON.stringify(accountSummary(set, owner)));
    if (q === '')
      return { items: rows(set.owners.slice(first, first + pageSize)), total: set.ownerCount };
    // A search waits between its slices: an account may have lost its last record since.
    const owners = (await this.#matchingOwners(q)).filter((owner) => set.has(owner));
    return { items: rows(owners.slice(first, first + pageSize)), total: owners.length };
  }

  async usage(): Promise<Usage> {
    const { storage, clock } = this.#context;
    return usageView(await storage.usage(windowStarts(clock())));
  }

  audit(query: ViewQuery): Promise<Page> {
    return this.#context.storage.auditEvents(query);
  }

  ping(): Promise<void> {
    return this.#context.storage.ping();
  }

  /** In order. `q` looks in the subject and in the account's business profiles. */
  async #matchingOwners(q: string): Promise<string[]> {
    const { set, scheduler } = this.#context;
    const yieldIfNeeded = () => scheduler.yieldIfNeeded(OPERATOR);
    const needle = new Needle(q);
    const matching: string[] = [];
    for (const owner of [...set.owners]) {
      const turn = yieldIfNeeded();
      if (turn !== undefined) await turn;
      const profiles = set.snapshot(owner, 'businesses').chunks.flat();
      for (const text of [owner, ...profiles.map((profile) => profile.text)]) {
        if (!(await needle.isIn(text, yieldIfNeeded))) continue;
        matching.push(owner);
        break;
      }
    }
    return matching;
  }
}
