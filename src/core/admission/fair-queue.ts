// What waits for its turn, by account: the accounts are served in rotation, and each account
// oldest first. Abandoned items are dropped, so that they neither take a turn nor fill the memory
// until their turn. Every queue of the service is one of these.

/** An item's own end: it is served by the caller of `take`, or dropped by the queue. */
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

  /** How many items of the account wait. */
  sizeOf(account: string): number {
    return this.#lanes.get(account)?.items.length ?? 0;
  }

  add(account: string, item: Item): void {
    let lane = this.#lanes.get(account);
    if (lane === undefined) {
      lane = { items: [], sweptAt: SWEPT_MIN };
      this.#lanes.set(account, lane);
    }
    lane.items.push(item);
    this.#size++;
    if (lane.items.length >= lane.sweptAt) this.#sweep(account, lane);
  }

  /**
   * The next item that may be served: the oldest one of the first account in rotation whose
   * oldest one fits. Undefined if none fits. The account moves to the end of the rotation.
   */
  take(fits: (item: Item, account: string) => boolean = () => true): Item | undefined {
    for (const [account, lane] of this.#lanes) {
      const first = this.#firstOf(account, lane);
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
    for (const [account, lane] of this.#lanes) this.#firstOf(account, lane);
  }

  /** The same for one account. Returns how many of its items wait. */
  dropGoneOf(account: string): number {
    const lane = this.#lanes.get(account);
    if (lane !== undefined) this.#firstOf(account, lane);
    return lane?.items.length ?? 0;
  }

  /** The oldest item of a lane that has not gone. */
  #firstOf(account: string, lane: Lane<Item>): Item | undefined {
    const { isGone, drop } = this.#options;
    for (let first = lane.items[0]; first !== undefined; first = lane.items[0]) {
      if (!isGone(first)) return first;
      this.#shift(account, lane);
      drop(first);
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
    const gone: Item[] = [];
    const items: Item[] = [];
    for (const item of lane.items) (isGone(item) ? gone : items).push(item);
    this.#size -= gone.length;
    lane.items = items;
    lane.sweptAt = Math.max(SWEPT_MIN, 2 * items.length);
    if (items.length === 0) this.#lanes.delete(account);
    for (const item of gone) drop(item);
  }
}
