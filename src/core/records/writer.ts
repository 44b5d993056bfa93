// The one writer. Every change waits in its account's queue, is staged, committed with others, applied to
// memory and resolved, in this order. Accounts take turns, one write each, in the order in which their
// bodies were read. Writes that arrive during a commit are committed together after it.

import { FairQueue, type Waiter } from '../admission/fair-queue.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { type AuditEvent, loggedEvent, oncePerRun } from '../domain/audit-event.js';
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
  dependsOnBodyOnly,
  notFound,
  recordTooLarge,
  storageFailed,
  type WriteKind,
} from './writes.js';

/** A group is full at either limit, which bounds a transaction and the time that other writes wait for it. */
const WRITES_PER_COMMIT = 256;
/** A write that exceeds it alone is a large one and takes milliseconds. */
const GROUP_MAX_CHARACTERS = 65_536;
/** After a large write, the writer yields the thread for about as long as the write took. */
const CHARACTERS_PER_MS = 16_384;
const isSmall = ({ characters }: PendingWrite) => characters <= GROUP_MAX_CHARACTERS;

export interface WriterOptions {
  readonly set: RecordSet;
  readonly storage: RecordStorage;
  readonly limits: AccountLimits;
  /** Shared with all long work of the process. */
  readonly scheduler: FairScheduler;
  readonly log: Log;
  readonly events: Pick<ServiceEvents, 'commitEnded' | 'auditFailed'> | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Called once if a commit's outcome is unknown. Every later write fails; reopen the records or stop. */
  readonly onStorageLost: (error: unknown) => void;
}

/** A write in the queue. */
interface PendingWrite extends Caller, Waiter {
  readonly kind: WriteKind;
  readonly collection: CollectionName;
  /** Empty for a create. */
  readonly id: string;
  /** Empty for a delete. */
  readonly body: string;
  /** Length of the body and the stored record, which must be parsed. */
  readonly characters: number;
  readonly resolve: (outcome: Outcome<string>) => void;
}

/** A write that passed validation and waits for its commit. */
type StagedWrite = Change & Pick<ChangedRecord, 'changed'>;

/** The writes that are committed together. */
interface Group {
  /** One for each write whose outcome depends on a record, including refused ones. */
  readonly outcomes: (readonly [PendingWrite['resolve'], Outcome<string>])[];
  /** Keyed by record: the change from before the group's first write to after its last one. */
  readonly changes: Map<string, Change>;
  readonly audit: AuditEvent[];
  /** Parsed for these writes. */
  characters: number;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #waiting = new FairQueue<PendingWrite>();
  #running: Promise<void> | undefined;
  #isRefusing = false;
  readonly #failures: ThrottledLog;
  readonly #isLogged = oncePerRun();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#failures = new ThrottledLog(options.log, options.clock);
  }

  /** Resolves after the commit that contains the change, with `STORAGE_FAILED` if that failed. */
  write(
    kind: WriteKind,
    { owner, requestContext }: Caller,
    collection: CollectionName,
    id: string,
    body: string,
  ): Promise<Outcome<string>> {
    const stored = kind === 'update' ? this.#options.set.find(owner, collection, id) : undefined;
    const characters = body.length + (stored?.text.length ?? 0);
    return new Promise((resolve, reject) => {
      // No spread, which made a create 10 % slower.
      this.#waiting.add(owner, {
        kind,
        owner,
        requestContext,
        collection,
        id,
        body,
        characters,
        isDisconnected: requestContext?.isDisconnected,
        resolve,
        reject,
      });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    const { scheduler } = this.#options;
    // Writes that arrive in the same event-loop turn belong to one group.
    await scheduler.pause();
    while (this.#waiting.size > 0) {
      const group = this.#nextGroup();
      if (group.changes.size > 0 && !this.#isRefusing) await this.#commit(group);
      else {
        resolveAll(group, this.#isRefusing ? storageFailed('notStored') : undefined);
        // A commit yields the thread; a group without one has to pause.
        await scheduler.pause();
      }
      // Other requests take several event-loop turns, and not each of these may process a large record.
      if (group.characters > GROUP_MAX_CHARACTERS) {
        await new Promise((next) => setTimeout(next, group.characters / CHARACTERS_PER_MS));
      }
    }
    this.#running = undefined;
  }

  /**
   * Takes one write of each account in rotation, until the group is full or no write waits. Then takes one
   * with a large record, because large ones would otherwise delay other accounts' small ones, or starve.
   */
  #nextGroup(): Group {
    const { writesPerCommit = WRITES_PER_COMMIT } = this.#options.storage;
    const isUnbatched = writesPerCommit === 1;
    const group: Group = { outcomes: [], changes: new Map(), audit: [], characters: 0 };
    while (
      this.#waiting.size > 0 &&
      group.outcomes.length < writesPerCommit &&
      group.characters < GROUP_MAX_CHARACTERS
    ) {
      const write = this.#waiting.take(isUnbatched ? undefined : isSmall);
      if (write === undefined) break;
      this.#stage(write, group);
    }
    const large = isUnbatched ? undefined : this.#waiting.take((write) => !isSmall(write));
    if (large !== undefined) this.#stage(large, group);
    return group;
  }

  /** Validates a write against its record as the group's earlier writes leave it. */
  #stage(write: PendingWrite, group: Group): void {
    const { kind, requestContext, resolve } = write;
    try {
      group.characters += write.characters;
      const staged = this.#changeOf(write, group);
      if (!staged.ok && dependsOnBodyOnly(kind, staged.failure)) return void resolve(staged);
      if (!staged.ok) return void group.outcomes.push([resolve, staged]);
      const change = staged.value;
      group.outcomes.push([resolve, succeeded(change.after?.text ?? change.id)]);
      const key = recordKey(change);
      const earlier = group.changes.get(key);
      const byteDelta = change.byteDelta + (earlier?.byteDelta ?? 0);
      group.changes.set(key, earlier ? { ...change, before: earlier.before, byteDelta } : change);
      const event = auditEvent(kind, requestContext, change, change.changed, this.#options.clock());
      if (event !== undefined) group.audit.push(event);
    } catch (error) {
      // An error here is a defect that affects only this write.
      write.reject(error);
    }
  }

  #changeOf(write: PendingWrite, group: Group): Outcome<StagedWrite> {
    const { kind, owner, collection, id, body, requestContext } = write;
    const { set } = this.#options;
    if (kind === 'create') {
      const made = newRecord(collection, body, requestContext?.actor !== undefined);
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
      // A body that isn't one JSON object is 400 whether or not the record exists.
      if (!patched.ok && patched.failure.code === 'INVALID_JSON') return patched;
      if (before === undefined) return notFound(collection, id);
      return patched.ok ? this.#changeTo(patched.value, write, before, group) : patched;
    }
    if (before === undefined) return notFound(collection, id);
    const byteDelta = set.byteDelta(before.text, '');
    return succeeded({ owner, collection, id, before, after: undefined, byteDelta, changed: [] });
  }

  /** The change of the record to this text, or the reason for a refusal. */
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
    // Takes the number of the id only now, so that a refused create uses none.
    const { key, position } = before ?? set.next(collection);
    const after = { position, key, text, status };
    return succeeded({ owner, collection, id, before, after, byteDelta, changed });
  }

  /** Writes to storage, then updates memory, then resolves every write. */
  async #commit(group: Group): Promise<void> {
    const { storage, events, set, log, clock } = this.#options;
    const { outcomes, changes, audit } = group;
    try {
      const startedAt = performance.now();
      const rows = set.toStore(changes.values());
      const result = await storage.commit({ ...rows, events: audit, at: clock() });
      const took = performance.now() - startedAt;
      const writes = outcomes.filter(([, { ok }]) => ok).length;
      if (result.status !== 'committed') {
        const { status, error } = result;
        events?.commitEnded(status, writes, took, error);
        resolveAll(group, storageFailed(status));
        if (status !== 'notStored') this.#stopWriting(error);
        else this.#failures.report('storage_commit_failed', { stored: 'notStored' }, error);
        return;
      }
      events?.commitEnded('committed', writes, took);
      for (const change of changes.values()) set.apply(change);
      resolveAll(group);
      // Mirrored to the log, so that the events outlive the file.
      const logged = audit.filter(this.#isLogged);
      for (const event of logged) log.info('admin_audit', loggedEvent(event));
      if (result.auditError === undefined) return;
      // "If the audit write fails …, the change stands", and the failure is logged.
      events?.auditFailed();
      const records = audit.map(({ action, record_id }) => `${action} ${record_id}`).join(', ');
      log.error('admin_audit_write_failed', result.auditError, { events: audit.length, records });
    } catch (error) {
      // Storage or memory failed, and it is unknown what is stored.
      this.#stopWriting(error);
      resolveAll(group, storageFailed('unknown'));
    }
  }

  /** Memory and storage may differ, so every later write fails. */
  #stopWriting(error: unknown): void {
    // After the file was lost, only this process has every record: it must not end.
    if (this.#isRefusing) return;
    this.#isRefusing = true;
    this.#options.log.error('storage_lost', error);
    this.#options.onStorageLost(error);
  }

  /** Writes in the queue. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Every later write fails with `STORAGE_FAILED`; reads continue. Resolves when no commit is in progress. */
  refuseWrites(): Promise<void> {
    this.#isRefusing = true;
    return this.settled();
  }

  /** Resolves when no write is in progress, including those that arrive in the meantime. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }
}

/** Resolves every write with its own outcome, or all with `failure`, because even a refusal may depend on a change of this group. */
function resolveAll({ outcomes }: Group, failure?: Outcome<string>): void {
  for (const [resolve, outcome] of outcomes) resolve(failure ?? outcome);
}
