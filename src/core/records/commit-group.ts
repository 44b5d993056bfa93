// The writes that are committed together: their outcomes, and one change of each record.

import type { AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { Change, MemoryRecord } from './record-list.js';
import type { AccountSize, RecordSet } from './record-set.js';
import type { Changes, PutRow } from './record-storage.js';

type AnswerWrite = (outcome: Outcome<string>) => void;

/** A group is full at either size, so that one transaction, and the writes that wait for it, stay bounded. */
const WRITES_MAX = 1_000;
const CHARACTERS_MAX = 2_000_000;

export class CommitGroup {
  readonly #set: RecordSet;
  readonly #outcomes: (readonly [AnswerWrite, Outcome<string>])[] = [];
  /** By record: from its state before the group's first write to that after the last. */
  readonly changes = new Map<string, Change>();
  readonly events: AuditEvent[] = [];
  #characters = 0;

  constructor(set: RecordSet) {
    this.#set = set;
  }

  /** How many writes it answers. */
  get size(): number {
    return this.#outcomes.length;
  }

  get isFull(): boolean {
    return this.#outcomes.length >= WRITES_MAX || this.#characters >= CHARACTERS_MAX;
  }

  /** A write that changes nothing. It may have been decided on a change of this group, so it waits for the commit. */
  refuse(answer: AnswerWrite, outcome: Outcome<string>): void {
    this.#outcomes.push([answer, outcome]);
  }

  /** A change, with its write's outcome once it is committed. */
  stage(change: Change, answer: AnswerWrite, outcome: Outcome<string>): void {
    this.#outcomes.push([answer, outcome]);
    this.#characters += change.after?.text.length ?? 0;
    const key = recordKey(change.owner, change.collection, change.id);
    const earlier = this.changes.get(key);
    this.changes.set(key, earlier === undefined ? change : joined(earlier, change));
  }

  /** The record as it is after every write staged so far. */
  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    const staged = this.changes.get(recordKey(owner, collection, id));
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

  /** Answers every write with its own outcome, or all with `failure`. */
  answer(failure?: Outcome<string>): void {
    for (const [answer, outcome] of this.#outcomes) answer(failure ?? outcome);
  }
}

/** An owner has no line break, and no collection a slash. */
function recordKey(owner: string, collection: CollectionName, id: string): string {
  return `${collection}/${owner}\n${id}`;
}

/** A record's change by two writes, one after the other. */
function joined(earlier: Change, later: Change): Change {
  const byteDelta = earlier.byteDelta + later.byteDelta;
  return { ...later, before: earlier.before, byteDelta };
}
