// The clients of the machine, one request at a time, and their ledger of what was acknowledged.

import { eventually } from '../../support/eventually.js';
import { type Differences, Ledger, type StoredEvent } from '../load/ledger.js';
import type { Random } from '../load/random.js';
import { ACCOUNTS, LoadWorker } from '../load/workload.js';
import { type Client, clientOf } from '../service/requests.js';
import { readRows } from '../service/stored.js';

/** Answers of a service that cannot write now. */
const NOT_NOW = [503];

export class Clients {
  readonly ledger = new Ledger();
  readonly #random: Random;
  #client: Client | undefined;
  #worker: LoadWorker | undefined;
  /** The marks of the records, and the number of audit events, that were there after a loss. */
  #given: ReadonlySet<unknown> = new Set();
  #givenEvents = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Sends requests. Throws while no service runs. */
  get client(): Client {
    if (this.#client === undefined) throw new Error('the service does not run');
    return this.#client;
  }

  connect(origin: string, adminKey: string): void {
    this.#client = clientOf(origin, adminKey);
    this.#worker = this.#newWorker(this.#client);
  }

  disconnect(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  /** Ends every connection, as a day without a request does. */
  rest(): void {
    this.#client?.close();
  }

  /** Where no service runs, nothing is changed. */
  async change(count: number): Promise<void> {
    for (let change = 0; change < count; change++) {
      await this.#work((worker) => worker.changeSomething());
    }
  }

  async create(): Promise<void> {
    await this.#work((worker) => worker.create());
  }

  /** Resolves when a create is acknowledged. */
  async untilWritten(): Promise<void> {
    await eventually(async () => {
      const { acknowledged } = this.ledger.outcomes;
      await this.create();
      if (this.ledger.outcomes.acknowledged === acknowledged) throw new Error('no write is taken');
    });
  }

  /** What the service has, compared with what was acknowledged. Decides what was unknown. */
  async compare(): Promise<Differences> {
    const rows = await readRows(this.client);
    const events = await this.client.all<StoredEvent>('/admin/audit');
    const ours = events.filter((event) => ACCOUNTS.includes(event.owner_sub)).reverse();
    const ledgers = rows.filter(({ body }) => !this.#given.has(body['mark']));
    const differences = this.ledger.compare(ledgers, ours.slice(this.#givenEvents));
    if (differences.count === 0) this.ledger.settle(ledgers);
    else {
      // What follows is compared with what is there now: a loss counts once.
      this.ledger.goBack(0);
      this.#given = new Set(rows.map(({ body }) => body['mark']));
      this.#givenEvents = ours.length;
    }
    this.#worker = this.#newWorker(this.client);
    return differences;
  }

  async #work(what: (worker: LoadWorker) => Promise<boolean>): Promise<void> {
    if (this.#worker === undefined || this.#client === undefined) return;
    // No further change of a record whose last one has no answer.
    if (!(await what(this.#worker))) this.#worker = this.#newWorker(this.#client);
  }

  #newWorker(client: Client) {
    const { ledger } = this;
    const load = { client, ledger, random: this.#random, workers: 1, mayAnswer: NOT_NOW };
    return new LoadWorker(load, 0);
  }
}
