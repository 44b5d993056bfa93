// The one writer. Every change is decided and committed here, in the order
// "read current, rule, commit, change memory, answer". What arrives while a
// commit is under way is committed together in the next one: one sync for all.

import type { AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { failed, type Outcome } from '../domain/errors.js';
import { idOf, keyOf } from '../domain/identifier.js';
import type { Eventually } from '../eventually.js';
import type { Log } from '../log.js';
import { type ServiceEvents, silentEvents } from '../service-events.js';
import type { Changes, CommitResult, Journal, JournalRow } from './journal.js';
import type { Change, MemoryRecord, RecordSet } from './record-set.js';

/** A group is closed at this size, so that one transaction, and what waits for it, stays bounded. */
const GROUP_MAX_WRITES = 1_000;
const GROUP_MAX_CHARACTERS = 8_000_000;

/** What a write decides: its answer and, unless it failed, its change. */
export interface Decision {
  readonly outcome: Outcome<string>;
  readonly change?: Change;
  readonly event?: AuditEvent;
}

/** Decides on the newest state; runs with no other write before its commit, however long it takes. May run only once. */
export type Decide = (current: CurrentRecords) => Eventually<Decision>;

/** The records as they are after every write decided so far. */
export interface CurrentRecords {
  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined;
}

interface PendingWrite {
  readonly decide: Decide;
  readonly resolve: (outcome: Outcome<string>) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterOptions {
  readonly set: RecordSet;
  readonly journal: Journal;
  readonly log: Log;
  /** Default: nobody is told. */
  readonly events?: ServiceEvents;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Called once when nobody can tell what storage holds: the process must reload or stop. */
  readonly onStorageLost: (error: unknown) => void;
}

export class Writer {
  readonly #options: WriterOptions;
  #queue: PendingWrite[] = [];
  #running: Promise<void> | undefined;
  #lost = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** What storage takes of one record, in UTF-8 bytes. */
  get bodyMaxBytes(): number {
    return this.#options.journal.bodyMaxBytes;
  }

  /** Resolves after the commit that holds the change; with `STORAGE_FAILED` where that failed. */
  write(decide: Decide): Promise<Outcome<string>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ decide, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Writes that wait for a commit; those of the one under way are not among them. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves when every write so far has been answered. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Not at once: writes of the same turn belong to one group, and `write` must see this run under way.
    await undefined;
    while (this.#queue.length > 0) {
      const group = await this.#nextGroup();
      try {
        if (this.#lost) group.answer(storageFailed());
        else if (!group.hasChanges) group.answer();
        else this.#conclude(group, await this.#commit(group));
      } catch (error) {
        // Somewhere between storage and memory: nobody can tell how far it came.
        this.#lose(error);
        group.answer(storageFailed());
      }
    }
    this.#running = undefined;
  }

  async #commit(group: Group): Promise<CommitResult> {
    const { journal, clock, events = silentEvents } = this.#options;
    events.commitStarted(group.size);
    const result = await journal.commit(group.changes(clock()));
    events.commitFinished(result.status, 'error' in result ? result.error : undefined);
    return result;
  }

  /** Takes writes from the queue, in order, until the group is full. */
  async #nextGroup(): Promise<Group> {
    const group = new Group(this.#options.set);
    let taken = 0;
    for (const write of this.#queue) {
      if (group.isFull) break;
      const adding = group.add(write);
      if (adding instanceof Promise) await adding;
      taken++;
    }
    this.#queue = this.#queue.slice(taken);
    return group;
  }

  /** Memory follows what storage holds, then everyone is answered. */
  #conclude(group: Group, result: CommitResult): void {
    const { set, log } = this.#options;
    if (result.status === 'committed' || result.status === 'present') {
      for (const change of group.staged) set.apply(change);
    }
    if (result.status === 'committed') {
      group.answer();
      if (result.auditError !== undefined) {
        this.#options.events?.auditFailed();
        log.error('admin_audit_write_failed', result.auditError);
      }
      return;
    }
    group.answer(storageFailed());
    log.error('storage_commit_failed', result.error, { stored: result.status });
    if (result.status === 'unknown') this.#lose(result.error);
  }

  /** From here on no write is taken: memory and storage may differ. */
  #lose(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#options.log.error('storage_lost', error);
    this.#options.onStorageLost(error);
  }
}

/** Writes that are committed together. */
class Group implements CurrentRecords {
  readonly #set: RecordSet;
  readonly #answers: (readonly [PendingWrite, Decision])[] = [];
  /** One change a record, by its position: from before the group's first write to it to after its last. */
  readonly #staged = new Map<number, Change>();
  readonly #events: AuditEvent[] = [];
  #characters = 0;

  constructor(set: RecordSet) {
    this.#set = set;
  }

  /** How many writes it holds. */
  get size(): number {
    return this.#answers.length;
  }

  get isFull(): boolean {
    return this.#answers.length >= GROUP_MAX_WRITES || this.#characters >= GROUP_MAX_CHARACTERS;
  }

  /** Decides a write on the records as the group has left them. */
  add(write: PendingWrite): Eventually<void> {
    try {
      const decided = write.decide(this);
      if (!(decided instanceof Promise)) return this.#take(write, decided);
      return decided.then(
        (decision) => this.#take(write, decision),
        (error) => write.reject(error),
      );
    } catch (error) {
      // A decision that throws is a defect of that one write: nothing of it is staged.
      write.reject(error);
    }
  }

  #take(write: PendingWrite, decision: Decision): void {
    this.#answers.push([write, decision]);
    if (decision.change !== undefined) this.#stage(decision.change);
    if (decision.event !== undefined) this.#events.push(decision.event);
  }

  find(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    const stored = this.#set.find(owner, collection, id);
    if (stored === undefined) return this.#findCreated(owner, collection, id);
    const staged = this.#staged.get(stored.position);
    return staged === undefined ? stored : staged.after;
  }

  get hasChanges(): boolean {
    return this.#staged.size > 0;
  }

  get staged(): Iterable<Change> {
    return this.#staged.values();
  }

  changes(at: number): Changes {
    const puts: JournalRow[] = [];
    const removals: number[] = [];
    for (const [position, { collection, after }] of this.#staged) {
      if (after === undefined) removals.push(position);
      else puts.push(journalRow(collection, after));
    }
    return { puts, removals, events: this.#events, at };
  }

  /**
   * Answers every write with its own outcome, or all with `failure`: even a
   * refusal may have been decided on a change of this group that never came to be.
   */
  answer(failure?: Outcome<string>): void {
    for (const [write, { outcome }] of this.#answers) write.resolve(failure ?? outcome);
  }

  #stage(change: Change): void {
    const record = change.after ?? change.before;
    if (record === undefined) return;
    const earlier = this.#staged.get(record.position);
    this.#staged.set(
      record.position,
      earlier === undefined ? change : { ...change, before: earlier.before },
    );
    this.#characters += change.after?.text.length ?? 0;
  }

  /** A record of this very group: nobody knows its id yet, but anybody may guess it. */
  #findCreated(owner: string, collection: CollectionName, id: string): MemoryRecord | undefined {
    const key = keyOf(collection, id);
    for (const change of this.#staged.values()) {
      const { after } = change;
      if (after?.key === key && change.collection === collection && change.owner === owner)
        return after;
    }
    return undefined;
  }
}

function journalRow(collection: CollectionName, record: MemoryRecord): JournalRow {
  const { position, key, text } = record;
  return { position, collection, id: idOf(collection, key), body: text };
}

function storageFailed(): Outcome<string> {
  return failed(
    'STORAGE_FAILED',
    'the change could not be confirmed on disk; read the record before trying again',
  );
}
