// The one writer. Every change is staged and committed here, in the order "read current, rule,
// commit, change memory, answer". Accounts take turns: one write of each, in the order in which
// the account sent them. Writes that arrive during a commit are committed together in the next one.

import { FairQueue } from '../admission/fair-queue.js';
import { DISCONNECTED, type FairScheduler } from '../admission/fair-scheduler.js';
import { firstOfRuns, loggedEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { Log } from '../log.js';
import type { ServiceEvents } from '../service-events.js';
import { ThrottledLog } from '../throttled-log.js';
import { CommitGroup, type Write } from './commit-group.js';
import type { Sender } from './record-service.js';
import type { RecordStorage } from './record-storage.js';
import { storageFailed, WriteRules, type WriteRulesOptions } from './writes.js';

/** How many records are named in the log; it has the number of all as well. */
const REPORTED_EVENTS_MAX = 100;

export interface WriterOptions extends WriteRulesOptions {
  readonly storage: RecordStorage;
  readonly scheduler: FairScheduler;
  readonly log: Log;
  readonly events:
    | Pick<ServiceEvents, 'commitStarted' | 'commitFinished' | 'auditFailed'>
    | undefined;
  /** Called once if what storage holds is unknown: the process must reload or stop. */
  readonly onStorageLost: (error: unknown) => void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #rules: WriteRules;
  readonly #waiting = new FairQueue<Write>(isGone, ({ answer }) => answer(DISCONNECTED));
  /** Accounts with a write whose expensive part is done elsewhere: their next write waits until it is staged. */
  readonly #preparing = new Map<string, Promise<void>>();
  /** Prepared elsewhere, with the number of commits that had failed before. */
  readonly #prepared: (readonly [Write, failuresBefore: number])[] = [];
  #running: Promise<void> | undefined;
  #failures = 0;
  readonly #failed: ThrottledLog;
  readonly #isLogged = firstOfRuns();
  #lost = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#rules = new WriteRules(options);
    this.#failed = new ThrottledLog(options.log, options.clock);
  }

  /** Resolves after the commit that holds the change; with `STORAGE_FAILED` if that failed. */
  write(
    kind: Write['kind'],
    owner: string,
    collection: CollectionName,
    id: string,
    body: string,
    sender: Sender | undefined,
  ): Promise<Outcome<string>> {
    return new Promise((answer, reject) => {
      this.#waiting.add(owner, {
        kind,
        owner,
        collection,
        id,
        body,
        sender,
        answer,
        reject,
        before: undefined,
        changed: undefined,
        after: undefined,
        growth: 0,
      });
      this.#running ??= this.#run();
    });
  }

  /** Writes that wait for a commit; those of the one under way are not among them. */
  get waiting(): number {
    return this.#waiting.size + this.#prepared.length;
  }

  /** Every later write fails with `STORAGE_FAILED`; reads continue. */
  refuse(): void {
    this.#lost = true;
  }

  /** Resolves when no write is under way, and so after those that come in the meantime. */
  async settled(): Promise<void> {
    for (;;) {
      const busy = this.#running ?? this.#preparing.values().next().value;
      if (busy === undefined) return;
      await busy;
    }
  }

  async #run(): Promise<void> {
    // Not at once: writes of the same turn belong to one group, and `write` must see this run under way.
    await undefined;
    for (let group = this.#nextGroup(); group !== undefined; group = this.#nextGroup()) {
      try {
        if (this.#lost) group.answer(storageFailed('unknown'));
        else if (group.staged.size > 0) await this.#commit(group);
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
  }

  /**
   * One write of each account in rotation, until the group is full, the slice is used or nothing is
   * ready. Undefined if nothing was.
   */
  #nextGroup(): CommitGroup | undefined {
    const { set, scheduler } = this.#options;
    const group = new CommitGroup(set);
    const sliceUsed = scheduler.ownSlice();
    let isEmpty = true;
    do {
      const prepared = this.#prepared.shift();
      if (prepared !== undefined) {
        this.#stagePrepared(...prepared, group);
      } else {
        const write = this.#waiting.take((_, account) => !this.#preparing.has(account));
        if (write === undefined) break;
        this.#prepare(write, group);
      }
      isEmpty = false;
    } while (!group.isFull && !sliceUsed());
    return isEmpty ? undefined : group;
  }

  #prepare(write: Write, group: CommitGroup): void {
    try {
      const elsewhere = this.#rules.prepare(write, group);
      if (elsewhere === undefined) {
        this.#rules.stage(write, group);
        return;
      }
      const failuresBefore = this.#failures;
      const prepared = elsewhere
        .then(
          () => void this.#prepared.push([write, failuresBefore]),
          (error) => {
            write.reject(error);
            this.#preparing.delete(write.owner);
          },
        )
        .finally(() => {
          this.#running ??= this.#run();
        });
      this.#preparing.set(write.owner, prepared);
    } catch (error) {
      // A write that throws here is a defect of that one write: nothing of it is staged.
      write.reject(error);
    }
  }

  #stagePrepared(write: Write, failuresBefore: number, group: CommitGroup): void {
    this.#preparing.delete(write.owner);
    if (isGone(write)) {
      write.answer(DISCONNECTED);
    } else if (failuresBefore !== this.#failures) {
      // It may have been prepared on a change that was then not stored.
      this.#prepare(write, group);
    } else {
      try {
        this.#rules.stage(write, group);
      } catch (error) {
        write.reject(error);
      }
    }
  }

  /** Memory follows what storage holds, then everyone is answered. */
  async #commit(group: CommitGroup): Promise<void> {
    const { storage, clock, events, set, log } = this.#options;
    events?.commitStarted(group.size);
    const result = await storage.commit(group.changes(clock()));
    events?.commitFinished(result.status, 'error' in result ? result.error : undefined);
    if (result.status === 'committed') {
      for (const change of group.staged.values()) set.apply(change);
      // Mirrored, so that the events outlive the file.
      for (const event of group.events) {
        if (this.#isLogged(event)) log.info('admin_audit', loggedEvent(event));
      }
    } else {
      this.#failures++;
    }
    if (result.status === 'committed') {
      group.answer();
      if (result.auditError !== undefined) this.#reportLostEvents(group, result.auditError);
      return;
    }
    group.answer(storageFailed(result.status));
    this.#failed.report('storage_commit_failed', { stored: result.status }, result.error);
    if (result.status === 'unknown') this.#lose(result.error);
  }

  /** "If the audit write fails …, the change stands and the failure is logged as `admin_audit_write_failed`." */
  #reportLostEvents({ events }: CommitGroup, error: unknown): void {
    this.#options.events?.auditFailed();
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

/** Its client has left before it was staged: it is not made. */
function isGone({ sender }: Write): boolean {
  return sender?.isDisconnected() === true;
}
