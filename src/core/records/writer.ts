// The one writer. Every change waits in its account's queue, is decided on, committed with others,
// applied to memory and answered, in this order. Accounts take turns, one write of each, in the order
// in which the account sent them. Writes that arrive during a commit are committed together after it.

import { FairQueue } from '../admission/fair-queue.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { firstOfRuns, loggedEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { type ErrorCode, type Outcome, succeeded } from '../domain/errors.js';
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
import { CommitGroup, type RecordName, WRITES_PER_COMMIT } from './commit-group.js';
import type { Change, MemoryRecord } from './record-list.js';
import type { Sender } from './record-service.js';
import type { RecordSet } from './record-set.js';
import type { RecordStorage } from './record-storage.js';
import {
  auditEvent,
  clientClosedRequest,
  notFound,
  recordTooLarge,
  storageFailed,
} from './writes.js';

/** A write that parses more is a large one: it takes milliseconds. */
const LARGE_CHARACTERS = 65_536;
/** After a large write others have the thread for about as long as it took. */
const CHARACTERS_A_MS = 16_384;
const isSmall = ({ characters }: PendingWrite) => characters <= LARGE_CHARACTERS;
const isLarge = (write: PendingWrite) => !isSmall(write);

export interface WriterOptions {
  readonly set: RecordSet;
  readonly storage: RecordStorage;
  readonly limits: AccountLimits;
  readonly scheduler: FairScheduler;
  readonly log: Log;
  readonly events:
    | Pick<ServiceEvents, 'commitStarted' | 'commitFinished' | 'auditFailed'>
    | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Called once if what storage holds is unknown: the process must reload or stop. */
  readonly onStorageLost: (error: unknown) => void;
}

/** A write that waits to be decided on. */
export interface PendingWrite {
  readonly kind: 'create' | 'update' | 'delete';
  readonly owner: string;
  readonly collection: CollectionName;
  /** Empty for a create. */
  readonly id: string;
  /** Empty for a delete. */
  readonly body: string;
  readonly sender: Sender | undefined;
  /** Of body and stored record: what has to be parsed. */
  readonly characters: number;
  readonly answer: (outcome: Outcome<string>) => void;
  /** For an unexpected error. */
  readonly reject: (error: unknown) => void;
}

/** A write that the next commit holds. */
interface StagedWrite {
  readonly change: Change;
  /** What its sender gets: the record's text, of a delete its id. */
  readonly result: string;
  /** The names of the properties that it changes. */
  readonly changed: readonly string[];
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #waiting = new FairQueue<PendingWrite>(
    ({ sender }) => sender?.isDisconnected() === true,
    ({ answer }) => answer(clientClosedRequest),
  );
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
    kind: PendingWrite['kind'],
    owner: string,
    collection: CollectionName,
    id: string,
    body: string,
    sender: Sender | undefined,
  ): Promise<Outcome<string>> {
    const stored = kind === 'update' ? this.#options.set.find(owner, collection, id) : undefined;
    const characters = body.length + (stored?.text.length ?? 0);
    return new Promise((answer, reject) => {
      const write = { kind, owner, collection, id, body, sender, characters, answer, reject };
      this.#waiting.add(owner, write);
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    // Not at once: writes that arrive in the same event-loop turn belong to one group.
    await this.#options.scheduler.pause();
    while (this.#waiting.size > 0) {
      const group = this.#decide();
      if (this.#isLost) group.answer(storageFailed('unknown'));
      else if (group.changes.size > 0) await this.#commit(group);
      else {
        group.answer();
        // A commit lets others have the thread; without one, a pause does.
        await this.#options.scheduler.pause();
      }
      // A request of others takes several event-loop turns, of which each may not have a large record.
      if (group.characters > LARGE_CHARACTERS) {
        await new Promise((next) => setTimeout(next, group.characters / CHARACTERS_A_MS));
      }
    }
    this.#running = undefined;
  }

  /**
   * One write of each account in rotation, until the group is full or none waits. Then one with a large
   * record: these would otherwise hold up the small ones of other accounts, or never have their turn.
   */
  #decide(): CommitGroup {
    const { set, storage } = this.#options;
    const group = new CommitGroup(set, storage.writesPerCommit ?? WRITES_PER_COMMIT);
    const isAlone = storage.writesPerCommit === 1;
    let small: PendingWrite | undefined;
    do {
      small = group.isFull ? undefined : this.#waiting.take(isAlone ? undefined : isSmall);
      const write = small ?? (isAlone ? undefined : this.#waiting.take(isLarge));
      if (write === undefined) break;
      const { kind, characters, answer } = write;
      try {
        group.characters += characters;
        const decision = this.#decisions[kind](write, group);
        if (decision.ok) this.#stage(write, decision.value, group);
        else if (standsAlone(kind, decision.failure.code)) answer(decision);
        else group.outcomes.push([answer, decision]);
      } catch (error) {
        // A write that throws here is a defect of that one write: nothing of it is staged.
        write.reject(error);
      }
    } while (small !== undefined);
    return group;
  }

  readonly #decisions = {
    create: this.#create.bind(this),
    update: this.#update.bind(this),
    delete: this.#delete.bind(this),
  };

  #create(write: PendingWrite, group: CommitGroup): Outcome<StagedWrite> {
    const { owner, collection, body, sender } = write;
    const made = newRecord(collection, body, sender?.actor !== undefined);
    if (!made.ok) return made;
    const id = formatId(collection, this.#options.set.sequence(collection) + 1);
    const text = withServerFields(collection, id, owner, made.value.text);
    return this.#changeTo({ ...made.value, text }, { owner, collection, id }, undefined, group);
  }

  #update(write: PendingWrite, group: CommitGroup): Outcome<StagedWrite> {
    const { collection, id, body } = write;
    const before = group.find(write);
    const patched = patchedRecord(collection, before?.text ?? '{}', body);
    // A body that is not one JSON object is 400 whether or not the record is there.
    if (!patched.ok && patched.failure.code === 'INVALID_JSON') return patched;
    if (before === undefined) return notFound(collection, id);
    if (!patched.ok) return patched;
    return this.#changeTo(patched.value, write, before, group);
  }

  /** Unless the record may not become this text. */
  #changeTo(
    { text, status, changed }: ChangedRecord,
    { owner, collection, id }: RecordName,
    before: MemoryRecord | undefined,
    group: CommitGroup,
  ): Outcome<StagedWrite> {
    const { set, limits } = this.#options;
    const tooLarge = recordTooLarge(text, before?.text);
    if (tooLarge !== undefined) return tooLarge;
    const byteDelta = set.byteDelta(before?.text ?? '', text);
    if (limits.maxBytes > 0 || limits.maxRecords > 0) {
      const added = { records: before === undefined ? 1 : 0, bytes: byteDelta };
      const beyond = quotaFailure(limits, group.sizeOf(owner), added);
      if (beyond !== undefined) return beyond;
    }
    // Only now: a refused create uses no id.
    const key = before?.key ?? set.nextSequence(collection);
    const position = before?.position ?? set.nextPosition();
    const after = { position, key, text, status };
    const change = { owner, collection, id, before, after, byteDelta };
    return succeeded({ change, result: text, changed });
  }

  #delete(write: PendingWrite, group: CommitGroup): Outcome<StagedWrite> {
    const { owner, collection, id } = write;
    const before = group.find(write);
    if (before === undefined) return notFound(collection, id);
    const byteDelta = this.#options.set.byteDelta(before.text, '');
    const change = { owner, collection, id, before, after: undefined, byteDelta };
    return succeeded({ change, result: id, changed: [] });
  }

  #stage(write: PendingWrite, { change, result, changed }: StagedWrite, group: CommitGroup): void {
    group.stage(change);
    group.outcomes.push([write.answer, succeeded(result)]);
    if (write.sender?.actor === undefined) return;
    const event = auditEvent({ ...write, id: change.id }, changed, this.#options.clock());
    if (event !== undefined) group.events.push(event);
  }

  /** Storage first; then memory follows it, and everyone is answered. */
  async #commit(group: CommitGroup): Promise<void> {
    const { storage, clock, events, set, log } = this.#options;
    try {
      events?.commitStarted(group.outcomes.length);
      const result = await storage.commit(group.toStore(clock()));
      events?.commitFinished(result.status, 'error' in result ? result.error : undefined);
      if (result.status !== 'committed') {
        group.answer(storageFailed(result.status));
        if (result.status === 'unknown') this.#lose(result.error);
        else this.#failures.report('storage_commit_failed', { stored: 'notStored' }, result.error);
        return;
      }
      for (const change of group.changes.values()) set.apply(change);
      group.answer();
      // Mirrored, so that the events outlive the file.
      for (const event of group.events) {
        if (this.#isLogged(event)) log.info('admin_audit', loggedEvent(event));
      }
      if (result.auditError !== undefined) this.#reportLostEvents(group, result.auditError);
    } catch (error) {
      // It failed somewhere between storage and memory, and it is unknown how far it came.
      this.#lose(error);
      group.answer(storageFailed('unknown'));
    }
  }

  /** "If the audit write fails …, the change stands and the failure is logged as `admin_audit_write_failed`." */
  #reportLostEvents({ events }: CommitGroup, error: unknown): void {
    this.#options.events?.auditFailed();
    const records = events.map(({ action, record_id }) => `${action} ${record_id}`).join(', ');
    this.#options.log.error('admin_audit_write_failed', error, { events: events.length, records });
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

  /** Every later write fails with `STORAGE_FAILED`; reads continue. */
  refuse(): void {
    this.#isLost = true;
  }

  /** Resolves when no write is under way, those that come in the meantime included. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }
}

/** Whether a refusal rests on no other write, so that it stands even if the group's commit fails. */
function standsAlone(kind: PendingWrite['kind'], code: ErrorCode): boolean {
  return code === 'INVALID_JSON' || (kind === 'create' && code === 'VALIDATION_FAILED');
}
