// Mixed load: accounts and the operator create, change and delete records of all sizes.
// Each worker has its own records. Every change is in the ledger.

import type { Client } from '../service/client.js';
import type { Entry, Ledger, LedgerChange, Properties } from './ledger.js';
import type { Random } from './random.js';

export const ACCOUNTS = ['amina', 'baraka', 'chiku', 'daudi', 'eshe'];

/** A worker with this many records deletes more than it creates. */
const LIVE_RECORDS = 30;
const OPERATOR_SHARE = 0.15;
const READ_SHARE = 0.1;
const SHORT_MAX_CHARACTERS = 400;
const LONG_MAX_CHARACTERS = 8_000;
const HUGE_MAX_CHARACTERS = 60_000;

/** A valid body for each collection. It contains the defaults, so that the stored record equals the body. */
const BODIES: Readonly<Record<string, Properties>> = {
  businesses: { businessName: 'Neema Salon' },
  customers: { name: 'Neema Mushi', phone: '+255 713 445 210' },
  services: { name: 'Box braids', price: 45_000, currency: 'TZS', active: true },
  orders: {
    ...{ customer: 'Neema Mushi', service: 'Box braids', amount: 45_000 },
    ...{ paid: 0, status: 'New', currency: 'TZS' },
  },
  team: { name: 'Juma Ally', phone: '+255 754 010 203' },
  expenses: { description: 'Thread', category: 'Stock', date: '2026-01-05', amount: 9_000 },
};
export const COLLECTIONS = Object.keys(BODIES);

export interface LoadOptions {
  client: Client;
  ledger: Ledger;
  random: Random;
  /** The number of workers, each with one request at a time. */
  workers: number;
  /** Stop at the first 500. */
  endsAtFailure?: boolean;
}

/**
 * Starts the load. It ends when it is stopped or when the server is gone; `ended` rejects when an
 * answer breaks the contract.
 */
export function startLoad(options: LoadOptions) {
  let stopped = false;
  const all = Array.from({ length: options.workers }, async (_, number) => {
    const worker = new LoadWorker(options, number);
    while (!stopped && (await worker.changeSomething()));
  });
  const ended = Promise.all(all);
  ended.catch(() => {});
  return {
    ended,
    stop() {
      stopped = true;
      return ended;
    },
  };
}

/** Changes its own records, one request at a time. */
export class LoadWorker {
  #options;
  #number;
  #live: Entry[];
  #versions = 0;

  constructor(options: LoadOptions, number: number) {
    this.#options = options;
    this.#number = number;
    this.#live = options.ledger.live(number);
  }

  /** Sends one random request. Resolves with false when the load must end. Rejects when the answer breaks the contract. */
  async changeSomething() {
    const { random } = this.#options;
    const entry = this.#live.length === 0 ? undefined : random.oneOf(this.#live);
    if (entry === undefined) return this.create();
    if (random.chance(READ_SHARE)) return this.#read(entry);
    const dice = random.fraction() * (this.#live.length < LIVE_RECORDS ? 0.9 : 1.4);
    if (dice < 0.4) return this.create();
    if (dice >= 0.75) return this.#change('delete', entry, undefined, undefined);
    const body = this.#newVersion();
    return this.#change('update', entry, body, { ...this.#options.ledger.bodyOf(entry), ...body });
  }

  create() {
    const { ledger, random } = this.#options;
    const owner = random.oneOf(ACCOUNTS);
    const collection = random.oneOf(COLLECTIONS);
    const entry = ledger.newEntry(this.#number, owner, collection);
    const body = { ...BODIES[collection], mark: entry.mark, ...this.#newVersion() };
    const ours = collection === 'businesses' ? { ownerSub: owner } : {};
    return this.#change('create', entry, body, { owner_sub: owner, ...ours, ...body });
  }

  /** Properties that no record had before, of random length. */
  #newVersion() {
    const { random } = this.#options;
    const dice = random.fraction();
    const most =
      dice < 0.75 ? SHORT_MAX_CHARACTERS : dice < 0.97 ? LONG_MAX_CHARACTERS : HUGE_MAX_CHARACTERS;
    const version = `${this.#number}.${++this.#versions}.${random.fraction()}`;
    return { version, filler: version.padEnd(random.between(1, most), version) };
  }

  async #change(
    action: LedgerChange['action'],
    entry: Entry,
    body: Properties | undefined,
    after: Properties | undefined,
  ) {
    const { ledger, random, client, endsAtFailure = false } = this.#options;
    const byOperator = random.chance(OPERATOR_SHARE);
    const changed = Object.keys(body ?? {});
    const change = ledger.begin({ action, entry, byOperator, changed, after });
    const answer = await client
      .send({
        method: METHODS[action],
        path: pathOf(entry, byOperator),
        account: byOperator ? undefined : entry.owner,
        // The trace recognises the answer by it.
        requestId: `change-${change.number}-`,
        body,
      })
      .catch(() => undefined);
    if (answer === undefined) return false;
    const isDone = answer.status === (action === 'create' ? 201 : 200);
    if (!isDone && answer.status !== 500) {
      throw new Error(`${action} of ${entry.collection}: ${answer.status} ${answer.text}`);
    }
    if (isDone) ledger.acknowledge(change, answer.json.data.id);
    if (isDone && action === 'create') this.#live.push(entry);
    // After a 500 the outcome is unknown: no further change until the stored rows decide it.
    if (action === 'delete' || (!isDone && action === 'update')) {
      this.#live = this.#live.filter((candidate) => candidate !== entry);
    }
    return isDone || !endsAtFailure;
  }

  async #read(entry: Entry) {
    const { client } = this.#options;
    const call = { method: 'GET', path: pathOf(entry), account: entry.owner } as const;
    const answer = await client.send(call).catch(() => undefined);
    if (answer === undefined) return false;
    if (answer.status !== 200) throw new Error(`${call.path}: ${answer.status} ${answer.text}`);
    return true;
  }
}

const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

function pathOf({ owner, collection, id }: Entry, byOperator = false) {
  const base = byOperator ? `/admin/accounts/${owner}` : '';
  return `${base}/${collection}${id === undefined ? '' : `/${id}`}`;
}
