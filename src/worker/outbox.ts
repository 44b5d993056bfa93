// What the directory has yet to be told of an account. A commit, its audit
// events, the mark that something is to be delivered and the alarm that will
// deliver it are one transaction; a delivery is tried at once, and again by the
// alarm until the directory has confirmed it. Telling it twice changes nothing.

import { byCollection } from '../domain/collection-name.js';
import { caseFolded } from '../domain/search.js';
import type { Log } from '../log.js';
import type { RecordCounts } from '../records/record-store.js';
import type { CommitEffect, ObjectStorage, SqlRow } from '../storage/object/object-journal.js';
import type { Delivery, DirectoryStub, NumberedEvent } from './account-call.js';
import { Tally } from './tally.js';

/** Between two deliveries of one account: changes in quick succession are told together. */
const INTERVAL_MS = 250;
const ALARM_DELAY_MS = 2_000;
const ALARM_DELAY_MAX_MS = 60_000;
/** A delivery stays far below the 32 MiB that a call may take. */
const EVENTS_MAX = 500;
const EVENTS_MAX_CHARACTERS = 4_000_000;
/** What a search for accounts looks at of one account. */
const SEARCH_TEXTS_MAX_CHARACTERS = 8_000_000;

const CREATE_TABLE = `create table outbox (
  owner text not null,
  revision integer not null,
  delivered_revision integer not null,
  delivered_event integer not null
) strict`;
const FIRST_STATE = 'insert into outbox values (?1, 0, 0, 0)';
const STATE = `
  select owner, revision, delivered_revision, delivered_event,
         (select coalesce(max(id), 0) from audit_events) as last_event from outbox`;
const NEXT_REVISION = 'update outbox set revision = revision + 1';
const DELIVERED = 'update outbox set delivered_revision = ?1, delivered_event = ?2';
const GO_BEYOND = 'update outbox set revision = ?1 + 1';
const EVENTS = 'select id as number, event from audit_events where id > ?1 order by id limit ?2';
const PROFILES = `
  select body from records
   where collection = 'businesses' and body ->> 'owner_sub' = ?1 order by position`;

interface State extends SqlRow {
  readonly owner: string;
  readonly revision: number;
  readonly delivered_revision: number;
  readonly delivered_event: number;
  readonly last_event: number;
}

/** What the outbox uses of `ctx.storage`. */
export interface OutboxStorage extends ObjectStorage {
  getAlarm(): Promise<number | null>;
  /** Inside a transaction it is part of it. */
  setAlarm(at: number): Promise<void>;
}

export interface OutboxOptions {
  readonly storage: OutboxStorage;
  readonly directory: () => DirectoryStub;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #sql: ObjectStorage['sql'];
  #tally: Tally;
  /** Rows that are not the account's own: nothing here ever changes their number. */
  #foreign: RecordCounts = byCollection(() => 0);
  #state: State | undefined;
  #searchTextsChanged = false;
  /** Set where the directory knew of more than there is: this object was set back to an earlier state. */
  #eventsAfter: number | undefined;
  #sending: Promise<boolean> | undefined;
  #timer: unknown;
  #sentAt = Number.NEGATIVE_INFINITY;
  #alarmIsSet = false;
  /** Alarms in a row that could not deliver. */
  #failedAlarms = 0;
  #isReported = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#sql = options.storage.sql;
    this.#tally = new Tally(this.#sql);
  }

  /** Counts what is stored, and returns the account whose object this is. Only once there are tables. */
  load(): string {
    this.#readState();
    this.#tally = new Tally(this.#sql);
    this.#tally.load(this.#options.clock());
    if (this.#state === undefined)
      throw new Error('the outbox does not say whose records these are');
    return this.#state.owner;
  }

  /** Delivers what was not delivered before the object was loaded. `own`: how many of the rows are the account's. */
  async resume(own: RecordCounts): Promise<void> {
    const holdings = this.#tally.holdings(this.#options.clock());
    this.#foreign = byCollection((name) => holdings[name].records - own[name]);
    if (!this.#isPending) return;
    this.#searchTextsChanged = true;
    if ((await this.#options.storage.getAlarm()) === null) await this.#setAlarm();
    this.#alarmIsSet = true;
    this.#soon();
  }

  /** Part of the transaction that makes the tables. */
  create(owner: string): void {
    this.#sql.exec(CREATE_TABLE);
    this.#sql.exec(FIRST_STATE, owner);
  }

  /** Part of every commit's transaction; to be run once that has succeeded. */
  follow(effect: CommitEffect): () => void {
    this.#sql.exec(NEXT_REVISION);
    if (!this.#alarmIsSet) void this.#setAlarm();
    const counted = this.#tally.follow(effect);
    return () => {
      this.#alarmIsSet = true;
      counted();
      this.#readState();
      const { before, after } = effect;
      this.#searchTextsChanged ||= [...before, ...after].some(
        ({ collection }) => collection === 'businesses',
      );
      this.#soon();
    };
  }

  /** Resolves once everything committed so far is delivered, or with false where that failed. */
  async deliver(): Promise<boolean> {
    const wanted = this.#state?.revision ?? 0;
    while (this.#isPending && (this.#state?.delivered_revision ?? 0) < wanted) {
      this.#sending ??= this.#send().finally(() => {
        this.#sending = undefined;
      });
      if (!(await this.#sending)) return false;
    }
    return true;
  }

  /** Never throws: the platform gives up an alarm that keeps failing. */
  async onAlarm(): Promise<void> {
    this.#alarmIsSet = false;
    this.#failedAlarms = (await this.deliver()) ? 0 : this.#failedAlarms + 1;
    if (!this.#isPending) return;
    await this.#setAlarm();
    this.#alarmIsSet = true;
  }

  /** Everything that the directory is to know, as of now. */
  delivery(): Delivery | undefined {
    const state = this.#state;
    if (state === undefined) return undefined;
    const holdings = this.#tally.holdings(this.#options.clock());
    return {
      owner: state.owner,
      revision: state.revision,
      counts: byCollection((name) => holdings[name].records - this.#foreign[name]),
      holdings,
      ...(this.#searchTextsChanged && { searchTexts: this.#searchTexts(state.owner) }),
      events: this.#events(state.delivered_event),
      ...(this.#eventsAfter !== undefined && { eventsAfter: this.#eventsAfter }),
    };
  }

  get #isPending(): boolean {
    const state = this.#state;
    return state !== undefined && state.delivered_revision < state.revision;
  }

  #readState(): void {
    [this.#state] = this.#sql.exec<State>(STATE);
  }

  #soon(): void {
    if (this.#timer !== undefined || !this.#isPending) return;
    const wait = Math.max(0, this.#sentAt + INTERVAL_MS - this.#options.clock());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.deliver();
    }, wait);
  }

  #setAlarm(): Promise<void> {
    const delay = Math.min(ALARM_DELAY_MS * 2 ** this.#failedAlarms, ALARM_DELAY_MAX_MS);
    return this.#options.storage.setAlarm(this.#options.clock() + delay);
  }

  /** One delivery; false where the directory did not confirm it. */
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
      // Once for each time that it goes away.
      if (!this.#isReported) this.#options.log.error('directory_unavailable', error);
      this.#isReported = true;
      return false;
    }
  }

  #confirm({ revision, events }: Delivery): void {
    this.#eventsAfter = undefined;
    const state = this.#state;
    const event = events.at(-1)?.number ?? state?.delivered_event ?? 0;
    // Where events are left for the next delivery, this revision is not yet delivered.
    const complete = event >= (state?.last_event ?? 0) || revision < (state?.revision ?? 0);
    this.#sql.exec(DELIVERED, complete ? revision : revision - 1, event);
    this.#readState();
    if (this.#isPending) this.#soon();
  }

  /** The directory knows a later revision than there is here: after a restore, what is here counts. */
  #goBeyond(revision: number): void {
    this.#eventsAfter = this.#state?.delivered_event ?? 0;
    this.#searchTextsChanged = true;
    this.#sql.exec(GO_BEYOND, revision);
    this.#readState();
  }

  #events(after: number): NumberedEvent[] {
    if (after >= (this.#state?.last_event ?? 0)) return [];
    const events: NumberedEvent[] = [];
    let characters = 0;
    for (const { number, event } of this.#sql.exec<EventRow>(EVENTS, after, EVENTS_MAX)) {
      characters += event.length;
      if (events.length > 0 && characters > EVENTS_MAX_CHARACTERS) break;
      events.push({ number, event });
    }
    return events;
  }

  #searchTexts(owner: string): string[] {
    const texts: string[] = [];
    let characters = 0;
    for (const { body } of this.#sql.exec<{ body: string }>(PROFILES, owner)) {
      characters += body.length;
      if (characters > SEARCH_TEXTS_MAX_CHARACTERS) break;
      texts.push(caseFolded(body));
    }
    return texts;
  }
}

interface EventRow extends SqlRow {
  readonly number: number;
  readonly event: string;
}
