// What waits for its turn, by account: the accounts are served in rotation, and each account
// oldest first. What nobody waits for any more is dropped, so that it neither takes a turn nor
// fills the memory until its turn. Every queue of the service is one of these.

/** An item's own end: it is served by the caller of `take`, or dropped by the queue. */
export interface FairQueueOptions<Item> {
  /** Whether nobody waits for the item any more. */
  readonly isGone: (item: Item) => boolean;
  /** Called once for an item that has gone. */
  readonly drop: (item: Item) => void;
}

/** Items that have gone are looked for when so many of an account wait, and at each doubling of that. */
const SWEPT_MIN = 32;

/** One account's items. Removing the first costs the same however many wait. */
class Lane<Item> {
  #items: Item[] = [];
  #head = 0;
  sweptAt = SWEPT_MIN;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): Item | undefined {
    return this.#items[this.#head];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): void {
    this.#head++;
    if (this.#head < SWEPT_MIN || this.#head * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  unshift(item: Item): void {
    this.#items.splice(0, this.#head, item);
    this.#head = 0;
  }

  /** Removes the items that do not stay. Returns them. */
  filter(stays: (item: Item) => boolean): Item[] {
    const left: Item[] = [];
    const items: Item[] = [];
    for (let i = this.#head; i < this.#items.length; i++) {
      const item = this.#items[i] as Item;
      (stays(item) ? items : left).push(item);
    }
    [this.#items, this.#head] = [items, 0];
    return left;
  }
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
    return this.#lanes.get(account)?.length ?? 0;
  }

  add(account: string, item: Item): void {
    let lane = this.#lanes.get(account);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(account, lane);
    }
    lane.push(item);
    this.#size++;
    if (lane.length >= lane.sweptAt) this.#sweep(account, lane);
  }

  /** Puts an item back, before all others of its account. */
  putBack(account: string, item: Item): void {
    if (!this.#lanes.has(account)) {
      this.add(account, item);
      return;
    }
    this.#lanes.get(account)?.unshift(item);
    this.#size++;
  }

  /**
   * The next item that may be served: the oldest one of the first account in rotation whose
   * oldest one fits. Undefined if none fits. The account moves to the end of the rotation.
   */
  take(fits: (item: Item, account: string) => boolean = () => true): Item | undefined {
    for (const [account, lane] of this.#lanes) {
      const first = this.#firstOf(account, lane);
      if (first === undefined || !fits(first, account)) continue;
      this.#shift(lane);
      if (lane.length === 0) {
        this.#lanes.delete(account);
      } else if (this.#lanes.size > 1) {
        this.#lanes.delete(account);
        this.#lanes.set(account, lane);
      }
      return first;
    }
    return undefined;
  }

  /** The oldest item of the account, whoever's turn it is. */
  takeOf(account: string): Item | undefined {
    const lane = this.#lanes.get(account);
    if (lane === undefined) return undefined;
    const first = this.#firstOf(account, lane);
    if (first === undefined) return undefined;
    this.#shift(lane);
    if (lane.length === 0) this.#lanes.delete(account);
    return first;
  }

  /** Drops of each account what has gone, up to the oldest item that has not. */
  dropGone(): void {
    for (const [account, lane] of this.#lanes) this.#firstOf(account, lane);
  }

  /** The same for one account. Returns how many of its items wait. */
  dropGoneOf(account: string): number {
    const lane = this.#lanes.get(account);
    if (lane !== undefined) this.#firstOf(account, lane);
    return lane?.length ?? 0;
  }

  /** The oldest item of a lane that has not gone. Removes a lane without one. */
  #firstOf(account: string, lane: Lane<Item>): Item | undefined {
    const { isGone, drop } = this.#options;
    let { first } = lane;
    while (first !== undefined && isGone(first)) {
      this.#shift(lane);
      drop(first);
      first = lane.first;
    }
    if (first === undefined) this.#lanes.delete(account);
    return first;
  }

  #shift(lane: Lane<Item>): void {
    lane.shift();
    this.#size--;
  }

  #sweep(account: string, lane: Lane<Item>): void {
    const { isGone, drop } = this.#options;
    const gone = lane.filter((item) => !isGone(item));
    this.#size -= gone.length;
    lane.sweptAt = Math.max(SWEPT_MIN, 2 * lane.length);
    if (lane.length === 0) this.#lanes.delete(account);
    for (const item of gone) drop(item);
  }
}
