// The writes that are committed together: their outcomes, and one change of each record.

import type { AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { Change, MemoryRecord } from './record-list.js';
import type { AccountSize, RecordSet } from './record-set.js';
import type { Changes, PutRow } from './record-storage.js';

type AnswerWrite = (outcome: Outcome<string>) => void;

/**
 * A group is full at either size, so that its decisions take a few milliseconds, and one transaction
 * and the writes that wait for it stay bounded.
 */
export const WRITES_PER_COMMIT = 256;
const CHARACTERS_MAX = 65_536;

export class CommitGroup {
  readonly #set: RecordSet;
  readonly #writesMax: number;
  readonly outcomes: (readonly [AnswerWrite, Outcome<string>])[] = [];
  /** By record: from its state before the group's first write to that after the last. */
  readonly changes = new Map<string, Change>();
  readonly events: AuditEvent[] = [];
  /** That were parsed to decide on the writes. */
  characters = 0;

  constructor(set: RecordSet, writesMax: number) {
    this.#set = set;
    this.#writesMax = writesMax;
  }

  get isFull(): boolean {
    return this.outcomes.length >= this.#writesMax || this.characters >= CHARACTERS_MAX;
  }

  stage(change: Change): void {
    const key = recordKey(change);
    const earlier = this.changes.get(key);
    this.changes.set(key, earlier === undefined ? change : joined(earlier, change));
  }

  /** The record as it is after every write staged so far. */
  find(record: RecordName): MemoryRecord | undefined {
    const staged = this.changes.get(recordKey(record));
    const { owner, collection, id } = record;
    return staged === undefined ? this.#set.find(owner, collection, id) : staged.after;
  }

  /** How much the account has after every write staged so far. */
  sizeOf(owner: string): AccountSize {
    let { records, bytes } = this.#set.sizeOf(owner);
    for (const { owner: of, before, after, byteDelta } of this.changes.values()) {
      if (of !== owner) continue;
      records += Number(after !== undefined) - Number(before !== undefined);
      bytes += byteDelta;
    }
    return { records, bytes };
  }

  /** What storage is to write. `at`: milliseconds since 1970, UTC. */
  toStore(at: number): Changes {
    const puts: PutRow[] = [];
    const removals: number[] = [];
    const sequences: Partial<Record<CollectionName, number>> = {};
    for (const { owner, collection, id, before, after } of this.changes.values()) {
      if (after !== undefined) {
        const { position, text, status } = after;
        puts.push({ position, collection, id, body: text, owner, status });
      } else if (before !== undefined) removals.push(before.position);
      // The highest number is stored with a record that comes or goes, so that no id is given twice.
      if (before === undefined || after === undefined) {
        sequences[collection] = this.#set.sequence(collection);
      }
    }
    return { puts, removals, sequences, events: this.events, at };
  }

  /** Answers every write with its own outcome, or all with `failure`: even a refusal may rest on a change of this group. */
  answer(failure?: Outcome<string>): void {
    for (const [answer, outcome] of this.outcomes) answer(failure ?? outcome);
  }
}

export type RecordName = Pick<Change, 'owner' | 'collection' | 'id'>;

/** An owner has no line break, and no collection a slash. */
function recordKey({ owner, collection, id }: RecordName): string {
  return `${collection}/${owner}\n${id}`;
}

/** A record's change by two writes, one after the other. */
function joined(earlier: Change, later: Change): Change {
  const byteDelta = earlier.byteDelta + later.byteDelta;
  return { ...later, before: earlier.before, byteDelta };
}
