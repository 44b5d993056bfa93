// What waits for its turn, by account: the accounts are served in rotation, and each account
// oldest first. Abandoned items are dropped, so that they neither take a turn nor fill the memory
// until their turn. Every queue of the service is one of these.

/** An item is served by the caller of `take`, or dropped by the queue. */
export interface FairQueueOptions<Item> {
  /** Whether nobody waits for the item any more. */
  readonly isGone: (item: Item) => boolean;
  /** Called once for an item that has gone. */
  readonly drop: (item: Item) => void;
}

/** Abandoned items are swept at this length of an account's queue, and at each doubling of it. */
const SWEPT_MIN = 32;

/** One account's items, the oldest first. */
interface Lane<Item> {
  items: Item[];
  sweptAt: number;
}

export class FairQueue<Item> {
  readonly #options: FairQueueOptions<Item>;
  /** Of each account with an item that waits. The first is served next. */
  readonly #lanes = new Map<string, Lane<Item>>();
  #size = 0;

  constructor(options: FairQueueOptions<Item>) {
    this.#options = options;
  }

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** How many items of the account wait. Those at its head that have gone are dropped. */
  waitingOf(account: string): number {
    this.#firstOf(account);
    return this.#lanes.get(account)?.items.length ?? 0;
  }

  add(account: string, item: Item): void {
    const lane = this.#lanes.get(account) ?? { items: [], sweptAt: SWEPT_MIN };
    if (lane.items.push(item) === 1) this.#lanes.set(account, lane);
    this.#size++;
    if (lane.items.length >= lane.sweptAt) this.#sweep(account, lane);
  }

  /**
   * The next item that may be served: the oldest one of the first account in rotation whose
   * oldest one fits. Undefined if none fits. The account moves to the end of the rotation.
   */
  take(fits: (item: Item, account: string) => boolean = () => true): Item | undefined {
    for (const [account, lane] of this.#lanes) {
      const first = this.#firstOf(account);
      if (first === undefined || !fits(first, account)) continue;
      this.#shift(account, lane);
      if (lane.items.length > 0 && this.#lanes.size > 1) {
        this.#lanes.delete(account);
        this.#lanes.set(account, lane);
      }
      return first;
    }
    return undefined;
  }

  /** Drops of each account what has gone, up to the oldest item that has not. */
  dropGone(): void {
    for (const account of this.#lanes.keys()) this.#firstOf(account);
  }

  /** The account's oldest item that has not gone. */
  #firstOf(account: string): Item | undefined {
    const lane = this.#lanes.get(account);
    for (let first = lane?.items[0]; lane && first !== undefined; first = lane.items[0]) {
      if (!this.#options.isGone(first)) return first;
      this.#shift(account, lane);
      this.#options.drop(first);
    }
    return undefined;
  }

  #shift(account: string, lane: Lane<Item>): void {
    lane.items.shift();
    this.#size--;
    if (lane.items.length === 0) this.#lanes.delete(account);
  }

  #sweep(account: string, lane: Lane<Item>): void {
    const { isGone, drop } = this.#options;
    const gone = new Set(lane.items.filter(isGone));
    lane.items = lane.items.filter((item) => !gone.has(item));
    lane.sweptAt = Math.max(SWEPT_MIN, 2 * lane.items.length);
    this.#size -= gone.size;
    if (lane.items.length === 0) this.#lanes.delete(account);
    for (const item of gone) drop(item);
  }
}
