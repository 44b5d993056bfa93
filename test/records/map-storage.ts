// A storage over a Map, for tests that decide when and how a commit ends.

import { setImmediate } from 'node:timers/promises';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import type {
  Changes,
  CommitResult,
  RecordStorage,
  Sequences,
  StoredRow,
  StoredViews,
} from '../../src/core/records/record-storage.js';

export class MapStorage implements RecordStorage, StoredViews {
  readonly rows = new Map<number, StoredRow>();
  readonly highest: Partial<Record<CollectionName, number>> = {};
  /** Every commit that was started. */
  readonly commits: Changes[] = [];
  /** How the next commits end (an Error rejects); later ones succeed. */
  readonly outcomes: (CommitResult | Error)[] = [];
  #gate: Promise<void> | undefined;
  release = () => {};

  /** From now on, commits wait until `release`. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  /** Resolves when this many commits have started. */
  async begun(commits: number): Promise<void> {
    while (this.commits.length < commits) await setImmediate();
  }

  async *load(): AsyncIterable<readonly StoredRow[]> {
    yield [...this.rows.values()].sort((a, b) => a.position - b.position);
  }

  async sequences(): Promise<Sequences> {
    return { ...this.highest };
  }

  async commit(changes: Changes): Promise<CommitResult> {
    this.commits.push(changes);
    await this.#gate;
    const outcome = this.outcomes.shift() ?? { status: 'committed' };
    if (outcome instanceof Error) throw outcome;
    if (outcome.status === 'committed') this.#store(changes);
    return outcome;
  }

  async usage(): Promise<never> {
    throw new Error('no test asks a Map for its views');
  }

  auditEvents = this.usage;

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #store({ puts, removals, sequences }: Changes): void {
    Object.assign(this.highest, sequences);
    for (const put of puts) this.rows.set(put.position, put);
    for (const position of removals) this.rows.delete(position);
  }
}
