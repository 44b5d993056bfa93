// The one writer. Every change waits in its account's queue, is decided on, committed with others,
// applied to memory and answered, in this order. Accounts take turns, one write of each, in the order
// in which their bodies were read. Writes that arrive during a commit are committed together after it.

import { FairQueue, type Waiter } from '../admission/fair-queue.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { type AuditEvent, firstOfRuns, loggedEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { type Outcome, succeeded } from '../domain/errors.js';
import { formatId } from '../domain/identifier.js';
import {
  type ChangedRecord,
  newRecord,
  patchedRecord,
  withServerFields,
} from '../domain/record.js';
import type { Log } from '../log.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { type AccountLimits, quotaFailure } from './account-limits.js';
import { type Change, type MemoryRecord, type RecordName, recordKey } from './record-list.js';
import type { Caller } from './record-service.js';
import type { RecordSet } from './record-set.js';
import type { RecordStorage } from './record-storage.js';
import {
  auditEvent,
  notFound,
  recordTooLarge,
  restsOnBody,
  storageFailed,
  type WriteKind,
} from './writes.js';

/** A group is full at either size, so that one transaction and the writes that wait for it stay bounded. */
const WRITES_PER_COMMIT = 256;
/** A write that parses more alone is a large one: it takes milliseconds. */
const GROUP_MAX_CHARACTERS = 65_536;
/** After a large write others have the thread for about as long as it took. */
const CHARACTERS_A_MS = 16_384;
const isSmall = ({ characters }: PendingWrite) => characters <= GROUP_MAX_CHARACTERS;

export interface WriterOptions {
  readonly set: RecordSet;
  readonly storage: RecordStorage;
  readonly limits: AccountLimits;
  /** The turns that all long work of the process takes. */
  readonly scheduler: FairScheduler;
  readonly log: Log;
  readonly events: Pick<ServiceEvents, 'commitEnded' | 'auditFailed'> | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /**
   * Called once if a commit failed and what storage holds is unknown.
   * Every later write fails with `STORAGE_FAILED`; reopen the records or stop.
   */
  readonly onStorageLost: (error: unknown) => void;
}

/** A write that waits to be decided on. */
interface PendingWrite extends Caller, Waiter {
  readonly kind: WriteKind;
  readonly collection: CollectionName;
  /** Empty for a create. */
  readonly id: string;
  /** Empty for a delete. */
  readonly body: string;
  /** Size of body and stored record, which have to be parsed. */
  readonly characters: number;
  readonly answer: (outcome: Outcome<string>) => void;
}

/** A write that was decided on, and waits for its commit. */
type StagedWrite = Change & Pick<ChangedRecord, 'changed'>;

/** The writes that are committed together. */
interface Group {
  /** One for every write that depends on a record, refused ones included. */
  readonly outcomes: (readonly [PendingWrite['answer'], Outcome<string>])[];
  /** Keyed by record: from its state before the group's first write to that after the last. */
  readonly changes: Map<string, Change>;
  readonly events: AuditEvent[];
  /** That were parsed to decide on the writes. */
  characters: number;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #waiting = new FairQueue<PendingWrite>();
  #running: Promise<void> | undefined;
  #isLost = false;
  readonly #failures: ThrottledLog;
  readonly #isLogged = firstOfRuns();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#failures = new ThrottledLog(options.log, options.clock);
  }

  /** Resolves after the commit that holds the change; with `STORAGE_FAILED` if that failed. */
  write(
    kind: WriteKind,
    { owner, sender }: Caller,
    collection: CollectionName,
    id: string,
    body: string,
  ): Promise<Outcome<string>> {
    const stored = kind === 'update' ? this.#options.set.find(owner, collection, id) : undefined;
    const characters = body.length + (stored?.text.length ?? 0);
    return new Promise((answer, reject) => {
      // No spread: it made a create dearer by a tenth.
      this.#waiting.add(owner, {
        kind,
        owner,
        sender,
        collection,
        id,
        body,
        characters,
        isDisconnected: sender?.isDisconnected,
        answer,
        reject,
      });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    const { scheduler } = this.#options;
    // Not at once: writes that arrive in the same event-loop turn belong to one group.
    await scheduler.pause();
    while (this.#waiting.size > 0) {
      const group = this.#nextGroup();
      if (group.changes.size > 0 && !this.#isLost) await this.#commit(group);
      else {
        answerAll(group, this.#isLost ? storageFailed('unknown') : undefined);
        // A commit lets others have the thread; without one, a pause does.
        await scheduler.pause();
      }
      // A request of others takes several event-loop turns, of which each may not have a large record.
      if (group.characters > GROUP_MAX_CHARACTERS) {
        await new Promise((next) => setTimeout(next, group.characters / CHARACTERS_A_MS));
      }
    }
    this.#running = undefined;
  }

  /**
   * One write of each account in rotation, until the group is full or none waits. Then one with a large
   * record: these would otherwise hold up the small ones of other accounts, or never have their turn.
   */
  #nextGroup(): Group {
    const { writesPerCommit = WRITES_PER_COMMIT } = this.#options.storage;
    const isAlone = writesPerCommit === 1;
    const group: Group = { outcomes: [], changes: new Map(), events: [], characters: 0 };
    while (
      this.#waiting.size > 0 &&
      group.outcomes.length < writesPerCommit &&
      group.characters < GROUP_MAX_CHARACTERS
    ) {
      const write = this.#waiting.take(isAlone ? undefined : isSmall);
      if (write === undefined) break;
      this.#stage(write, group);
    }
    const large = isAlone ? undefined : this.#waiting.take((write) => !isSmall(write));
    if (large !== undefined) this.#stage(large, group);
    return group;
  }

  /** Decides on a write by its record as the group's earlier writes leave it. */
  #stage(write: PendingWrite, group: Group): void {
    const { kind, sender, answer } = write;
    try {
      group.characters += write.characters;
      const staged = this.#decide(write, group);
      if (!staged.ok && restsOnBody(kind, staged.failure)) return void answer(staged);
      if (!staged.ok) return void group.outcomes.push([answer, staged]);
      const change = staged.value;
      group.outcomes.push([answer, succeeded(change.after?.text ?? change.id)]);
      const key = recordKey(change);
      const earlier = group.changes.get(key);
      const byteDelta = change.byteDelta + (earlier?.byteDelta ?? 0);
      group.changes.set(key, earlier ? { ...change, before: earlier.before, byteDelta } : change);
      const event = auditEvent(kind, sender, change, change.changed, this.#options.clock());
      if (event !== undefined) group.events.push(event);
    } catch (error) {
      // A write that throws here is a defect of that one write.
      write.reject(error);
    }
  }

  #decide(write: PendingWrite, group: Group): Outcome<StagedWrite> {
    const { kind, owner, collection, id, body, sender } = write;
    const { set } = this.#options;
    if (kind === 'create') {
      const made = newRecord(collection, body, sender?.actor !== undefined);
      if (!made.ok) return made;
      const number = set.sequences[collection] + 1;
      const created = { owner, collection, id: formatId(collection, number) };
      const text = withServerFields(collection, created.id, owner, made.value.text);
      return this.#changeTo({ ...made.value, text }, created, undefined, group);
    }
    const staged = group.changes.get(recordKey(write));
    const before = staged === undefined ? set.find(owner, collection, id) : staged.after;
    if (kind === 'update') {
      const patched = patchedRecord(collection, before?.text ?? '{}', body);
      // A body that is not one JSON object is 400 whether or not the record is there.
      if (!patched.ok && patched.failure.code === 'INVALID_JSON') return patched;
      if (before === undefined) return notFound(collection, id);
      return patched.ok ? this.#changeTo(patched.value, write, before, group) : patched;
    }
    if (before === undefined) return notFound(collection, id);
    const byteDelta = set.byteDelta(before.text, '');
    return succeeded({ owner, collection, id, before, after: undefined, byteDelta, changed: [] });
  }

  /** The change of the record to this text, or why it is refused. */
  #changeTo(
    { text, status, changed }: ChangedRecord,
    { owner, collection, id }: RecordName,
    before: MemoryRecord | undefined,
    group: Group,
  ): Outcome<StagedWrite> {
    const { set, limits } = this.#options;
    const tooLarge = recordTooLarge(text, before?.text);
    if (tooLarge !== undefined) return tooLarge;
    const byteDelta = set.byteDelta(before?.text ?? '', text);
    if (limits.maxBytes > 0 || limits.maxRecords > 0) {
      const added = { records: before === undefined ? 1 : 0, bytes: byteDelta };
      const exceeded = quotaFailure(limits, set.sizeOf(owner, group.changes.values()), added);
      if (exceeded !== undefined) return exceeded;
    }
    // Only now, with the number that `#decide` gave: a refused create uses no id.
    const { key, position } = before ?? set.next(collection);
    const after = { position, key, text, status };
    return succeeded({ owner, collection, id, before, after, byteDelta, changed });
  }

  /** Writes to storage, then updates memory, then answers every write. */
  async #commit(group: Group): Promise<void> {
    const { storage, events: meter, set, log, clock } = this.#options;
    const { outcomes, changes, events } = group;
    try {
      const startedAt = performance.now();
      const rows = set.toStore(changes.values());
      const result = await storage.commit({ ...rows, events, at: clock() });
      const took = performance.now() - startedAt;
      const writes = outcomes.filter(([, { ok }]) => ok).length;
      meter?.commitEnded(result.status, writes, took, 'error' in result ? result.error : undefined);
      if (result.status !== 'committed') {
        answerAll(group, storageFailed(result.status));
        if (result.status !== 'notStored') return this.#lose(result.error);
        this.#failures.report('storage_commit_failed', { stored: 'notStored' }, result.error);
        return;
      }
      for (const change of changes.values()) set.apply(change);
      answerAll(group);
      // Mirrored, so that the events outlive the file.
      const logged = events.filter(this.#isLogged);
      for (const event of logged) log.info('admin_audit', loggedEvent(event));
      if (result.auditError === undefined) return;
      // "If the audit write fails …, the change stands", and the failure is logged.
      meter?.auditFailed();
      const records = events.map(({ action, record_id }) => `${action} ${record_id}`).join(', ');
      log.error('admin_audit_write_failed', result.auditError, { events: events.length, records });
    } catch (error) {
      // It failed somewhere between storage and memory, and it is unknown how far it came.
      this.#lose(error);
      answerAll(group, storageFailed('unknown'));
    }
  }

  /** Takes no more writes: memory and storage may differ. */
  #lose(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.log.error('storage_lost', error);
    this.#options.onStorageLost(error);
  }

  /** Writes that wait to be decided on. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Every later write fails with `STORAGE_FAILED`; reads continue. Resolves when no commit is under way. */
  refuse(): Promise<void> {
    this.#isLost = true;
    return this.settled();
  }

  /** Resolves when no write is under way, those that come in the meantime included. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }
}

/** Every write gets its own outcome, or all get `failure`: even a refusal may rest on a change of this group. */
function answerAll({ outcomes }: Group, failure?: Outcome<string>): void {
  for (const [answer, outcome] of outcomes) answer(failure ?? outcome);
}
