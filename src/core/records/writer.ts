// The one writer. Every change is staged and committed here, in the order
// "read current, rule, commit, change memory, answer". Accounts take turns: one
// write of each, in the order in which the account sent them. The writes that
// arrive while a commit is under way are committed together in the next one.

import { DISCONNECTED } from '../admission/disconnected.js';
import { FairQueue } from '../admission/fair-queue.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { loggedEvent } from '../domain/audit-event.js';
import type { Outcome } from '../domain/errors.js';
import type { Log } from '../log.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { type Answer, CommitGroup } from './commit-group.js';
import type { CommitResult, RecordStorage } from './record-storage.js';
import { isStored, storageFailed } from './storage-answers.js';
import { type PreparedWrite, type Write, WriteRules, type WriteRulesOptions } from './writes.js';

/** A write that waits for its turn. Its client may leave: the write is then not made. */
interface PendingWrite {
  readonly write: Write;
  readonly answer: Answer;
  readonly reject: (error: unknown) => void;
}

function isGone({ write: { sender } }: PendingWrite): boolean {
  return sender?.isDisconnected() === true;
}

/** A write that waits for a group, prepared elsewhere. */
interface ReadyWrite {
  readonly pending: PendingWrite;
  readonly prepared: PreparedWrite;
  /** How many commits had failed when it was prepared. */
  readonly failuresBefore: number;
}

export interface WriterOptions extends WriteRulesOptions {
  readonly storage: RecordStorage;
  readonly scheduler: FairScheduler;
  readonly log: Log;
  readonly events: ServiceEvents;
  /** Called once when nobody can tell what storage holds: the process must reload or stop. */
  readonly onStorageLost: (error: unknown) => void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #rules: WriteRules;
  readonly #waiting = new FairQueue<PendingWrite>({
    isGone,
    drop: ({ answer }) => answer(DISCONNECTED),
  });
  /** Accounts with a write whose expensive part is done elsewhere: their next write waits until it is staged. */
  readonly #preparing = new Set<string>();
  readonly #ready: ReadyWrite[] = [];
  #running: Promise<void> | undefined;
  #whenIdle: (() => void)[] = [];
  #failures = 0;
  readonly #failed: ThrottledLog;
  #lost = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#rules = new WriteRules(options);
    this.#failed = new ThrottledLog(options.log, options.clock);
  }

  /** Resolves after the commit that holds the change; with `STORAGE_FAILED` where that failed. */
  write(write: Write): Promise<Outcome<string>> {
    return new Promise((answer, reject) => {
      this.#waiting.add(write.owner, { write, answer, reject });
      this.#wake();
    });
  }

  /** Writes that wait for a commit; those of the one under way are not among them. */
  get waiting(): number {
    return this.#waiting.size + this.#ready.length;
  }

  /** Every later write fails with `STORAGE_FAILED`; reads go on. */
  refuse(): void {
    this.#lost = true;
  }

  /** Resolves when every write so far has been answered. */
  async settled(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  get #isIdle(): boolean {
    const underWay = this.#preparing.size > 0 || this.#running !== undefined;
    return !underWay && this.waiting === 0;
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Not at once: writes of the same turn belong to one group, and `write` must see this run under way.
    await undefined;
    for (let group = this.#nextGroup(); group !== undefined; group = this.#nextGroup()) {
      try {
        if (this.#lost) group.answer(storageFailed('unknown'));
        else if (group.hasChanges) this.#conclude(group, await this.#commit(group));
        else {
          group.answer();
          // A commit lets others have the thread; without one, a pause does.
          if (this.#waiting.size > 0) await this.#options.scheduler.pause();
        }
      } catch (error) {
        // It failed somewhere between storage and memory, and it is unknown how far it came.
        this.#lose(error);
        group.answer(storageFailed('unknown'));
      }
    }
    this.#running = undefined;
    if (!this.#isIdle) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }

  async #commit(group: CommitGroup): Promise<CommitResult> {
    const { storage, clock, events } = this.#options;
    events.commitStarted(group.size);
    const result = await storage.commit(group.changes(clock()));
    events.commitFinished(result.status, 'error' in result ? result.error : undefined);
    return result;
  }

  /**
   * One write of each account in rotation, until the group is full, the slice is used or nothing is
   * ready. Undefined where nothing was.
   */
  #nextGroup(): CommitGroup | undefined {
    const { set, scheduler } = this.#options;
    const group = new CommitGroup(set);
    const sliceUsed = scheduler.ownSlice();
    let isEmpty = true;
    do {
      const ready = this.#ready.shift();
      if (ready !== undefined) {
        this.#stageLater(ready, group);
      } else {
        const pending = this.#waiting.take((_, account) => !this.#preparing.has(account));
        if (pending === undefined) break;
        this.#prepare(pending, group);
      }
      isEmpty = false;
    } while (!group.isFull && !sliceUsed());
    return isEmpty ? undefined : group;
  }

  #prepare(pending: PendingWrite, group: CommitGroup): void {
    try {
      const prepared = this.#rules.prepare(pending.write, group);
      if (prepared instanceof Promise) this.#prepareElsewhere(pending, prepared);
      else group.add(pending.answer, this.#rules.stage(prepared, group));
    } catch (error) {
      // A write that throws here is a defect of that one write: nothing of it is staged.
      pending.reject(error);
    }
  }

  #prepareElsewhere(pending: PendingWrite, preparing: Promise<PreparedWrite>): void {
    const { owner } = pending.write;
    const failuresBefore = this.#failures;
    this.#preparing.add(owner);
    preparing.then(
      (prepared) => {
        this.#ready.push({ pending, prepared, failuresBefore });
        this.#wake();
      },
      (error) => {
        pending.reject(error);
        this.#preparing.delete(owner);
        this.#wake();
      },
    );
  }

  #stageLater({ pending, prepared, failuresBefore }: ReadyWrite, group: CommitGroup): void {
    this.#preparing.delete(pending.write.owner);
    // It may have been prepared on a change that was then not stored: it is prepared again.
    if (failuresBefore !== this.#failures) {
      this.#waiting.putBack(pending.write.owner, pending);
      return;
    }
    if (this.#isDropped(pending)) return;
    try {
      group.add(pending.answer, this.#rules.stage(prepared, group));
    } catch (error) {
      pending.reject(error);
    }
  }

  #isDropped(pending: PendingWrite): boolean {
    if (!isGone(pending)) return false;
    pending.answer(DISCONNECTED);
    return true;
  }

  /** Memory follows what storage holds, then everyone is answered. */
  #conclude(group: CommitGroup, result: CommitResult): void {
    const { set, log } = this.#options;
    if (isStored(result)) {
      for (const change of group.staged) set.apply(change);
      // Mirrored, so that the events outlive the file.
      for (const event of group.events) log.info('admin_audit', loggedEvent(event));
    } else {
      this.#failures++;
    }
    if (result.status === 'committed') {
      group.answer();
      if (result.auditError !== undefined) this.#reportLostEvents(group, result.auditError);
      return;
    }
    group.answer(storageFailed(result.status));
    this.#failed.error('storage_commit_failed', result.error, { stored: result.status });
    if (result.status === 'unknown') this.#lose(result.error);
  }

  /** "If the audit write fails …, the change stands and the failure is logged as `admin_audit_write_failed`." */
  #reportLostEvents({ events }: CommitGroup, error: unknown): void {
    this.#options.events.auditFailed();
    const records = events
      .slice(0, REPORTED_EVENTS_MAX)
      .map(({ action, record_id }) => `${action} ${record_id}`);
    this.#options.log.error('admin_audit_write_failed', error, {
      events: events.length,
      records: records.join(', '),
    });
  }

  /** From here on no write is taken: memory and storage may differ. */
  #lose(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#options.log.error('storage_lost', error);
    this.#options.onStorageLost(error);
  }
}

/** So many records are named in the log; the number of all stands beside them. */
const REPORTED_EVENTS_MAX = 100;
