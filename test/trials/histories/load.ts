// Concurrent clients that send random requests to a few accounts with few
// records, so that they conflict.

import { setTimeout as delay } from 'node:timers/promises';
import { newSeed, type Random, randomFrom } from '../load/random.js';
import { Asking, COLLECTIONS, type Collection, LIST_MAX_SIZE, type Place } from './asking.js';
import type { Properties, Recorder } from './recorder.js';

const ACCOUNTS = ['alice', 'bob', 'carol', 'dora'];
const WORDS = ['kiwi', 'mango', 'papaya', 'guava'];
const STATUSES = ['New', 'Ready'];
/** Of one account and one collection. */
const RECORDS_MAX = 8;
const KNOWN_DEAD = 6;
const OPERATOR_SHARE = 0.2;
const PAGE_SIZES = [2, 3, 5, 20];

export interface LoadOptions {
  readonly recorder: Recorder;
  readonly place: Place;
  readonly clients: number;
  /** A pause of each client after each request. */
  readonly pauseMs: number;
}

/** The ids that the clients know: live ones, and some of deleted records. */
class Ids {
  readonly live: string[] = [];
  readonly dead: string[] = [];

  bury(id: string): void {
    const at = this.live.indexOf(id);
    if (at >= 0) this.live.splice(at, 1);
    if (!this.dead.includes(id)) this.dead.push(id);
    if (this.dead.length > KNOWN_DEAD) this.dead.shift();
  }
}

export class Load {
  readonly options: LoadOptions;
  readonly askings: readonly Asking[];
  readonly #random: Random;
  readonly #ids = new Map<string, Ids>();
  #marks = 0;
  #stopping = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LoadOptions) {
    this.options = options;
    this.#random = randomFrom(newSeed());
    const { clients, recorder, place } = options;
    this.askings = Array.from({ length: clients }, (_, i) => new Asking(i, recorder, place));
  }

  start(): void {
    this.#stopping = false;
    this.#running = Promise.all(this.askings.map((asking) => this.#client(asking)));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** Continues for this many more operations. */
  async more(operations: number): Promise<void> {
    const { recorder } = this.options;
    const wanted = recorder.operations.length + operations;
    while (recorder.operations.length < wanted) await delay(5);
  }

  close(): void {
    for (const asking of this.askings) asking.close();
  }

  get refusals(): number {
    return this.askings.reduce((sum, { refusals }) => sum + refusals, 0);
  }

  /** Reads everything, while there are no changes. */
  async readAll(): Promise<void> {
    const [asking] = this.askings;
    if (asking === undefined) return;
    for (const who of ACCOUNTS) {
      for (const coll of COLLECTIONS) {
        const everything = { page: 1, size: LIST_MAX_SIZE };
        const all = await asking.list({ who, operator: false, coll }, everything);
        // So that a history has searches with answers, however few of the clients' found something.
        for (const q of WORDS)
          await asking.list({ who, operator: false, coll }, { ...everything, q });
        const { live, dead } = this.#idsOf(who, coll);
        // Some were made without an answer.
        for (const { id } of all?.rows ?? []) if (!live.includes(String(id))) live.push(String(id));
        for (const id of [...live, ...dead]) {
          await asking.read({ who, operator: false, coll, id });
        }
      }
      await asking.payments(who);
      await asking.page(who);
    }
    await asking.wholeAudit();
  }

  /** Makes a record and deletes it, so that the highest id is gone. */
  async makeAndDelete(): Promise<void> {
    const [asking] = this.askings;
    const [who = ''] = ACCOUNTS;
    for (const coll of COLLECTIONS) {
      const target = { who, operator: false, coll, id: '' };
      const made = await asking?.write('create', target, this.#body(coll));
      if (made?.id) await asking?.write('delete', { ...target, id: made.id });
    }
  }

  async #client(asking: Asking): Promise<void> {
    const { pauseMs } = this.options;
    while (!this.#stopping) {
      await this.#something(asking);
      if (pauseMs > 0) await delay(pauseMs);
    }
  }

  async #something(asking: Asking): Promise<void> {
    const who = this.#oneOf(ACCOUNTS);
    const coll = this.#oneOf(COLLECTIONS);
    const ids = this.#idsOf(who, coll);
    const operator = this.#random.fraction() < OPERATOR_SHARE;
    const target = { who, operator, coll, id: '' };
    const dice = this.#random.fraction() * 100;
    if (dice < 20) return this.#createOrDelete(asking, target, ids);
    const id = this.#oneOf(this.#random.fraction() < 0.15 ? ids.dead : ids.live);
    if (id === undefined) return this.#createOrDelete(asking, target, ids);
    if (dice < 45) await asking.write('patch', { ...target, id }, this.#patch(coll));
    else if (dice < 53) await this.#delete(asking, { ...target, id }, ids);
    else if (dice < 70) await asking.read({ ...target, id });
    else if (dice < 85) await this.#list(asking, target);
    else if (dice < 89) await asking.payments(who);
    else if (dice < 94) await asking.page(who);
    else await asking.audit();
  }

  async #createOrDelete(asking: Asking, target: Target, ids: Ids): Promise<void> {
    if (ids.live.length >= RECORDS_MAX) {
      const id = this.#oneOf(ids.live) ?? '';
      return this.#delete(asking, { ...target, id }, ids);
    }
    const made = await asking.write('create', target, this.#body(target.coll));
    if (made?.code === 201) ids.live.push(made.id);
  }

  async #delete(asking: Asking, target: Target, ids: Ids): Promise<void> {
    await asking.write('delete', target);
    // Whatever the outcome: missing records are requested now and then, too.
    ids.bury(target.id);
  }

  async #list(asking: Asking, target: Target): Promise<void> {
    const size = this.#oneOf(PAGE_SIZES) ?? 20;
    const page = this.#random.between(1, 2);
    const dice = this.#random.fraction();
    const narrower =
      dice < 0.3 ? { q: this.#oneOf(WORDS) ?? '' } : dice < 0.5 ? { status: 'Ready' } : {};
    // The operator's lists have no `status`.
    const query = target.operator && 'status' in narrower ? {} : narrower;
    await asking.list(target, { ...query, page, size });
  }

  #body(coll: Collection): Properties {
    const both = { mark: ++this.#marks, note: this.#note() };
    if (coll === 'customers') return { name: 'Asha', phone: '0700', ...both };
    return { customer: 'Asha', service: 'Braids', amount: this.#random.between(1, 9), ...both };
  }

  #patch(coll: Collection): Properties {
    const note = { note: this.#note() };
    const dice = this.#random.fraction();
    if (coll === 'customers' || dice < 0.4) return note;
    if (dice < 0.7) return { ...note, paid: this.#random.between(0, 9) };
    return { ...note, status: this.#oneOf(STATUSES) };
  }

  #note(): string {
    return `${this.#oneOf(WORDS)} ${++this.#marks}`;
  }

  #idsOf(who: string, coll: Collection): Ids {
    const key = `${who} ${coll}`;
    const ids = this.#ids.get(key) ?? new Ids();
    this.#ids.set(key, ids);
    return ids;
  }

  #oneOf<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    return values[this.#random.between(0, Math.max(0, values.length - 1))] as T;
  }
}

interface Target {
  readonly who: string;
  readonly operator: boolean;
  readonly coll: Collection;
  readonly id: string;
}
