// The writes that are committed together: their answers, and one change per record.

import type { AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import { keyOf } from '../domain/identifier.js';
import type { ChangedRecord } from '../domain/record.js';
import type { Change, MemoryRecord } from './record-list.js';
import type { Sender } from './record-service.js';
import type { AccountSize, RecordSet } from './record-set.js';
import type { Changes, PutRow } from './record-storage.js';

/** What is asked for; then, step by step, what becomes of it. */
export interface Write extends Change {
  readonly kind: 'create' | 'update' | 'delete';
  /** Empty for a create, until it is staged. */
  id: string;
  /** Empty for a delete. */
  readonly body: string;
  readonly sender: Sender | undefined;
  readonly answer: (outcome: Outcome<string>) => void;
  /** For an unexpected error. */
  readonly reject: (error: unknown) => void;
  /** Once it is prepared, the record as it becomes, or why the body cannot be one; undefined for a delete. */
  changed: Outcome<ChangedRecord> | undefined;
}

/** A group is full at either size, so that one transaction, and the writes that wait for it, stay bounded. */
const WRITES_MAX = 1_000;
const CHARACTERS_MAX = 2_000_000;

export class CommitGroup {
  readonly #set: RecordSet;
  readonly #writes: (readonly [Write, Outcome<string>])[] = [];
  /** One change per record, by its position: from its state before the group's first write to that after the last. */
  readonly staged = new Map<number, Change>();
  /** Collections that get or lose a record: the highest number given is stored with it, so that no id is given twice. */
  readonly #numbered = new Set<CollectionName>();
  readonly events: AuditEvent[] = [];
  #characters = 0;

  constructor(set: RecordSet) {
    this.#set = set;
  }

  /** How many writes it answers. */
  get size(): number {
    return this.#writes.length;
  }

  get isFull(): boolean {
    return this.#writes.length >= WRITES_MAX || this.#characters >= CHARACTERS_MAX;
  }

  /** A write with its outcome, and with the event of a change that an administrator asked for. */
  add(write: Write, outcome: Outcome<string>, event?: AuditEvent): void {
    this.#writes.push([write, outcome]);
    if (event !== undefined) this.events.push(event);
    const { collection, before, after, growth } = write;
    const record = after ?? before;
    if (!outcome.ok || record === undefined) return;
    if (before === undefined || after === undefined) this.#numbered.add(collection);
    const earlier = this.staged.get(record.position);
    this.staged.set(
      record.position,
      earlier === undefined
        ? write
        : { ...write, before: earlier.before, growth: earlier.growth + growth },
    );
    this.#characters += after?.text.length ?? 0;
  }

  /** The record as it is after every write staged so far. */
  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    const stored = this.#set.find(owner, collection, id);
    if (stored === undefined) return this.#findCreated(owner, collection, id);
    const staged = this.staged.get(stored.position);
    return staged === undefined ? stored : staged.after;
  }

  /** How much the account has after every write staged so far. */
  sizeOf(owner: string): AccountSize {
    let { records, bytes } = this.#set.sizeOf(owner);
    for (const { owner: of, before, after, growth } of this.staged.values()) {
      if (of !== owner) continue;
      records += Number(after !== undefined) - Number(before !== undefined);
      bytes += growth;
    }
    return { records, bytes };
  }

  changes(at: number): Changes {
    const puts: PutRow[] = [];
    const removals: number[] = [];
    for (const [position, { owner, collection, id, after }] of this.staged) {
      if (after === undefined) removals.push(position);
      else {
        const { text, status } = after;
        puts.push({ position, collection, id, body: text, owner, status });
      }
    }
    const sequences: Partial<Record<CollectionName, number>> = {};
    for (const name of this.#numbered) sequences[name] = this.#set.sequence(name);
    return { puts, removals, sequences, events: this.events, at };
  }

  /**
   * Answers every write with its own outcome, or all with `failure`: even a
   * refusal may have been decided on a change of this group that was not stored.
   */
  answer(failure?: Outcome<string>): void {
    for (const [{ answer }, outcome] of this.#writes) answer(failure ?? outcome);
  }

  /** A record that this group creates. Its id is not yet answered, but a client may guess it. */
  #findCreated(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    const key = keyOf(collection, id);
    for (const { after, owner: of, collection: name } of this.staged.values()) {
      if (after?.key === key && name === collection && of === owner) return after;
    }
    return undefined;
  }
}
