// Concurrent clients that send random requests: to a few accounts with few records, so that they
// conflict, or each to an account of its own.

import { setTimeout as delay } from 'node:timers/promises';
import { newSeed, type Random, randomFrom } from './random.js';
import { COLLECTIONS, type Collection, type Place, RandomClient } from './random-client.js';
import type { Properties, Recorder, Target } from './recorder.js';

const ACCOUNTS = ['alice', 'bob', 'carol', 'dora'];
const WORDS = ['kiwi', 'mango', 'papaya', 'guava'];
const STATUSES = ['New', 'Ready'];
/** Limits for one collection of an account. */
const RECORDS_MAX = 8;
const KNOWN_DEAD = 6;
const OPERATOR_SHARE = 0.2;
const PAGE_SIZES = [2, 3, 5, 20];
/** Lengths of texts in characters, and the share of texts up to each length. */
const LENGTHS = [
  [400, 0.75],
  [8_000, 0.97],
  [60_000, 1],
] as const;
const EVERYTHING = { page: 1, size: 100 };

interface LoadOptions {
  readonly recorder: Recorder;
  readonly place: Place;
  readonly clients: number;
  /** A pause of each client after each request. */
  readonly pauseMs?: number;
  readonly random?: Random;
  /** Each client has an account of its own, and records of all sizes. */
  readonly isApart?: boolean;
}

/** The account of a client that has its own. */
export const accountOf = (client: number) => `owner-${client}`;

type LoadTarget = Target & { readonly coll: Collection };

export class Load {
  readonly #options: LoadOptions;
  readonly #clients: readonly RandomClient[];
  readonly #first: RandomClient;
  readonly #random: Random;
  /** The ids that the clients know: live ones, and some of deleted records. */
  readonly #ids = new Map<string, { live: string[]; dead: string[] }>();
  #marks = 0;
  #stopping = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LoadOptions) {
    this.#options = options;
    const { clients, recorder, place, random = randomFrom(newSeed()) } = options;
    this.#random = random;
    this.#first = new RandomClient(0, recorder, place);
    const others = Array.from(
      { length: clients - 1 },
      (_, i) => new RandomClient(i + 1, recorder, place),
    );
    this.#clients = [this.#first, ...others];
  }

  /** `until`: whether a client ends by itself, by the status of its last response. */
  start(how: { clients?: number; until?(last: RandomClient['last']): boolean } = {}): void {
    const { clients = this.#clients.length, until = () => false } = how;
    const { pauseMs = 0 } = this.#options;
    this.#stopping = false;
    this.#running = Promise.all(
      this.#clients.slice(0, clients).map(async (client) => {
        while (!this.#stopping && !until(await this.step(client))) {
          if (pauseMs > 0) await delay(pauseMs);
        }
      }),
    );
  }

  get ended(): Promise<unknown> {
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** Continues for this many more operations. */
  async more(operations: number): Promise<void> {
    const { recorder } = this.#options;
    const wanted = recorder.operations.length + operations;
    while (recorder.operations.length < wanted) await delay(5);
  }

  get refusals(): number {
    return this.#clients.reduce((sum, { refusals }) => sum + refusals, 0);
  }

  /** Reads everything, while there are no changes. */
  async readAll(): Promise<void> {
    for (const who of ACCOUNTS) {
      for (const coll of COLLECTIONS) {
        const target = { who, operator: false, coll, id: '' };
        const all = await this.#first.list(target, EVERYTHING);
        // So that a history has searches with results, even if few of the clients' had any.
        for (const q of WORDS) await this.#first.list(target, { ...EVERYTHING, q });
        const { live, dead } = this.#idsOf(who, coll);
        // Some were made without a response.
        const ids = new Set([...live, ...(all?.rows ?? []).map(({ id }) => String(id)), ...dead]);
        for (const id of ids) await this.#first.read({ ...target, id });
      }
      await this.#first.payments(who);
      await this.#first.page(who);
    }
    await this.#first.wholeAudit();
  }

  /** Creates a record and deletes it, so that the highest id is free. */
  async makeAndDelete(): Promise<void> {
    for (const coll of COLLECTIONS) {
      const target = { who: ACCOUNTS[0] ?? '', operator: false, coll, id: '' };
      const made = await this.#first.write('create', target, this.#body(coll));
      if (made?.id) await this.#first.write('delete', { ...target, id: made.id });
    }
  }

  /** One random request. Resolves with its status. */
  async step(client = this.#first): Promise<RandomClient['last']> {
    await this.#something(client);
    return client.last;
  }

  async #something(client: RandomClient): Promise<unknown> {
    const random = this.#random;
    const accounts = this.#options.isApart ? [accountOf(client.client)] : ACCOUNTS;
    const [who, coll] = [random.oneOf(accounts), random.oneOf(COLLECTIONS)];
    const { live, dead } = this.#idsOf(who, coll);
    const target = { who, operator: random.chance(OPERATOR_SHARE), coll, id: '' };
    const dice = random.fraction() * 100;
    const known = random.chance(0.15) ? dead : live;
    if (dice < 20 || known.length === 0) {
      if (live.length >= RECORDS_MAX) return this.#delete(client, target, random.oneOf(live));
      return this.#create(client, target);
    }
    const id = random.oneOf(known);
    if (dice < 45) return client.write('patch', { ...target, id }, this.#patch(coll));
    if (dice < 53) return this.#delete(client, target, id);
    if (dice < 70) return client.read({ ...target, id });
    if (dice < 85) return this.#list(client, target);
    if (dice < 89) return client.payments(who);
    return dice < 94 ? client.page(who) : client.audit();
  }

  /** Creates a record of the first client's own. Resolves with the status. */
  async create(): Promise<RandomClient['last']> {
    const [coll] = COLLECTIONS;
    await this.#create(this.#first, { who: accountOf(0), operator: false, coll, id: '' });
    return this.#first.last;
  }

  async #create(client: RandomClient, target: LoadTarget): Promise<void> {
    const made = await client.write('create', target, this.#body(target.coll));
    if (made?.code === 201) this.#idsOf(target.who, target.coll).live.push(made.id);
  }

  async #delete(client: RandomClient, target: LoadTarget, id: string): Promise<void> {
    await client.write('delete', { ...target, id });
    // Whatever the outcome: missing records are requested now and then, too.
    const { live, dead } = this.#idsOf(target.who, target.coll);
    const at = live.indexOf(id);
    if (at >= 0) live.splice(at, 1);
    if (!dead.includes(id)) dead.push(id);
    if (dead.length > KNOWN_DEAD) dead.shift();
  }

  #list(client: RandomClient, target: LoadTarget) {
    const page = { page: this.#random.between(1, 2), size: this.#random.oneOf(PAGE_SIZES) };
    const dice = this.#random.fraction();
    if (dice < 0.3) return client.list(target, { ...page, q: this.#random.oneOf(WORDS) });
    // The operator's lists have no `status`.
    const status = dice < 0.5 && !target.operator ? 'Ready' : '';
    return client.list(target, { ...page, status });
  }

  #body(coll: Collection): Properties {
    const both = { mark: ++this.#marks, ...this.#note() };
    if (coll === 'customers') return { name: 'Asha', phone: '0700', ...both };
    const order = { customer: 'Asha', service: 'Braids', amount: this.#random.between(1, 9) };
    // The defaults, so that the stored record equals the body.
    return { ...order, paid: 0, status: 'New', currency: 'TZS', ...both };
  }

  #patch(coll: Collection): Properties {
    const note = this.#note();
    const dice = this.#random.fraction();
    if (coll === 'customers' || dice < 0.4) return note;
    if (dice < 0.7) return { ...note, paid: this.#random.between(0, 9) };
    return { ...note, status: this.#random.oneOf(STATUSES) };
  }

  /** Properties that no record had before. */
  #note(): Properties {
    const note = `${this.#random.oneOf(WORDS)} ${++this.#marks}`;
    if (!this.#options.isApart) return { note };
    const dice = this.#random.fraction();
    const [most = 0] = LENGTHS.filter(([, share]) => dice < share)[0] ?? [];
    return { note, filler: note.padEnd(this.#random.between(1, most), note) };
  }

  #idsOf(who: string, coll: Collection) {
    const key = `${who} ${coll}`;
    const ids = this.#ids.get(key) ?? { live: [], dead: [] };
    this.#ids.set(key, ids);
    return ids;
  }
}
