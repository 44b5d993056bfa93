// The changes of an account that the directory hasn't confirmed yet. A commit, its
// audit events, the higher revision and the alarm are one transaction. The object
// delivers at once, and the alarm delivers again until the directory confirms.
// Delivering twice changes nothing. README.md explains each field, and a restore.

import { byCollection } from '../../core/domain/collection-name.js';
import type { Log } from '../../core/log.js';
import type { CommitEffect, CommitFollower } from '../../storage/object/object-record-storage.js';
import type { ObjectStorage, SqlRow } from '../../storage/object/object-storage.js';
import type { Delivery, DirectoryStub, NumberedEvent } from './account-call.js';
import { AccountStats } from './account-stats.js';
import { eventsAfter, searchTexts } from './delivery-parts.js';

/** Minimum time between two deliveries of an account: changes in quick succession share one. */
const SENDING_INTERVAL_MS = 250;
const ALARM_DELAY_MS = 2_000;
/** After an alarm that could not deliver: the directory is down for longer. */
const RETRY_DELAY_MS = 30_000;
/** A wait is extended at random by up to this fraction. */
const ALARM_SPREAD = 0.5;
const FIRST_STATE = `
  insert into outbox (owner, revision, delivered_revision, delivered_event)
  values (?1, 0, 0, 0)`;
const STATE = `
  select owner, revision, delivered_revision, delivered_event,
         (select coalesce(max(id), 0) from audit_events) as last_event from outbox`;
const NEXT_REVISION = 'update outbox set revision = revision + 1';
const DELIVERED = 'update outbox set delivered_revision = ?1, delivered_event = ?2';
const GO_BEYOND = 'update outbox set revision = ?1 + 1';
interface State extends SqlRow {
  readonly owner: string;
  readonly revision: number;
  readonly delivered_revision: number;
  readonly delivered_event: number;
  readonly last_event: number;
}

/** The part of `ctx.storage` that the outbox uses. */
export interface OutboxStorage extends ObjectStorage {
  getAlarm(): Promise<number | null>;
  /** Inside a transaction the alarm is part of it. */
  setAlarm(at: number): Promise<void>;
}

export interface OutboxOptions {
  readonly storage: OutboxStorage;
  readonly directory: () => DirectoryStub;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** From 0 up to 1, without 1. */
  readonly random: () => number;
}

export class Outbox implements CommitFollower {
  readonly #options: OutboxOptions;
  readonly #sql: ObjectStorage['sql'];
  #stats: AccountStats;
  /** Whose object this is: known from the first call, and stored with the first commit. */
  #owner: string | undefined;
  #state: State | undefined;
  #searchTextsChanged = false;
  #sending: Promise<boolean> | undefined;
  #timer: unknown;
  #sentAt = Number.NEGATIVE_INFINITY;
  #alarmIsSet = false;
  #isReported = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#sql = options.storage.sql;
    this.#stats = new AccountStats(this.#sql);
  }

  /** Throws if the object is another account's. */
  expectOwner(owner: string): void {
    this.#owner ??= owner;
    if (this.#owner !== owner) throw new Error('the call is for another account than this object');
  }

  /** Counts the stored rows and returns the account of this object. Needs the tables. */
  load(): string {
    this.#readState();
    this.#stats = new AccountStats(this.#sql);
    this.#stats.load(this.#options.clock());
    if (this.#state === undefined)
      throw new Error('the outbox does not say whose records these are');
    this.#owner = this.#state.owner;
    return this.#owner;
  }

  /** Delivers what was pending when the object was loaded. */
  async resume(): Promise<void> {
    if (!this.isPending) return;
    this.#searchTextsChanged = true;
    if ((await this.#options.storage.getAlarm()) === null) await this.#setAlarm();
    this.#alarmIsSet = true;
    this.#soon();
  }

  create(): void {
    if (this.#owner === undefined) throw new Error('no call has said whose records these are');
    this.#sql.exec(FIRST_STATE, this.#owner);
  }

  /** Part of the transaction with which a loaded account becomes whole. `load` comes next. */
  begin(): void {
    this.create();
    this.#sql.exec(NEXT_REVISION);
    void this.#setAlarm();
  }

  /** Commits so far; 0 before the first. */
  get revision(): number {
    return this.#state?.revision ?? 0;
  }

  /** Changes no field: the commit may be rolled back. */
  stage(): void {
    this.#sql.exec(NEXT_REVISION);
    if (!this.#alarmIsSet) void this.#setAlarm();
  }

  committed(effect: CommitEffect): void {
    this.#alarmIsSet = true;
    this.#stats.follow(effect);
    this.#readState();
    const { before, after } = effect;
    this.#searchTextsChanged ||= [...before, ...after].some(
      ({ collection }) => collection === 'businesses',
    );
    this.#soon();
  }

  /** Resolves with true when every commit so far is delivered, with false if that failed. */
  async deliver(): Promise<boolean> {
    const wanted = this.#state?.revision ?? 0;
    while (this.isPending && (this.#state?.delivered_revision ?? 0) < wanted) {
      this.#sending ??= this.#send().finally(() => {
        this.#sending = undefined;
      });
      if (!(await this.#sending)) return false;
    }
    return true;
  }

  /** Never throws, because the platform gives up an alarm that keeps failing. */
  async onAlarm(): Promise<void> {
    this.#alarmIsSet = false;
    const isDelivered = await this.deliver();
    if (!this.isPending) return;
    await this.#setAlarm(isDelivered ? ALARM_DELAY_MS : RETRY_DELAY_MS);
    this.#alarmIsSet = true;
  }

  /** To the state of a new object, after the database was deleted. */
  reset(): void {
    this.#state = undefined;
    this.#stats = new AccountStats(this.#sql);
    this.#searchTextsChanged = false;
    this.#alarmIsSet = false;
  }

  /** The whole state for the directory, as of now. */
  delivery(): Delivery | undefined {
    const state = this.#state;
    if (state === undefined) return undefined;
    const holdings = this.#stats.holdings(this.#options.clock());
    return {
      owner: state.owner,
      revision: state.revision,
      counts: byCollection((name) => holdings[name].records),
      holdings,
      ...(this.#searchTextsChanged && { searchTexts: searchTexts(this.#sql) }),
      events: this.#events(state.delivered_event),
    };
  }

  /** Whether the directory has yet to confirm a commit. */
  get isPending(): boolean {
    const state = this.#state;
    return state !== undefined && state.delivered_revision < state.revision;
  }

  #readState(): void {
    [this.#state] = this.#sql.exec<State>(STATE);
  }

  #soon(): void {
    if (this.#timer !== undefined || !this.isPending) return;
    const wait = Math.max(0, this.#sentAt + SENDING_INTERVAL_MS - this.#options.clock());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.deliver();
    }, wait);
  }

  #setAlarm(delay = ALARM_DELAY_MS): Promise<void> {
    const { storage, clock, random } = this.#options;
    // Spread out, or all accounts would return at once to a directory that was down.
    return storage.setAlarm(clock() + delay * (1 + random() * ALARM_SPREAD));
  }

  /** Sends one delivery. False if the directory did not confirm it. */
  async #send(): Promise<boolean> {
    const textsChanged = this.#searchTextsChanged;
    this.#sentAt = this.#options.clock();
    try {
      const delivery = this.delivery();
      if (delivery === undefined) return true;
      this.#searchTextsChanged = false;
      const receipt = await this.#options.directory().apply(delivery);
      if (receipt.revision > delivery.revision) this.#goBeyond(receipt.revision);
      else this.#confirm(delivery);
      this.#isReported = false;
      return true;
    } catch (error) {
      this.#searchTextsChanged ||= textsChanged;
      // Log once until the directory answers again.
      if (!this.#isReported) this.#options.log.error('directory_unavailable', error);
      this.#isReported = true;
      return false;
    }
  }

  #confirm({ revision, events }: Delivery): void {
    const state = this.#state;
    const event = events.at(-1)?.number ?? state?.delivered_event ?? 0;
    // If events are left for the next delivery, this revision does not count as delivered.
    const complete = event >= (state?.last_event ?? 0) || revision < (state?.revision ?? 0);
    this.#sql.exec(DELIVERED, complete ? revision : revision - 1, event);
    this.#readState();
    if (this.isPending) this.#soon();
  }

  /** After a restore: the directory has a higher revision, so this object goes beyond it. This object's state counts. */
  #goBeyond(revision: number): void {
    this.#searchTextsChanged = true;
    this.#sql.exec(GO_BEYOND, revision);
    this.#readState();
  }

  #events(after: number): readonly NumberedEvent[] {
    return after >= (this.#state?.last_event ?? 0) ? [] : eventsAfter(this.#sql, after);
  }
}
