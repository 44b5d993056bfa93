// What waits for its turn, by account: the accounts are served in rotation, and each account
// oldest first. Abandoned items are dropped, so that they neither take a turn nor fill the memory
// until their turn. Every queue of the service is one of these.

import { FailureError, failed } from '../domain/errors.js';

/** Abandoned items are swept at this length of an account's queue, and at each doubling of it. */
const SWEPT_MIN = 32;

/** One account's items, the oldest first. */
interface Lane<Item> {
  items: Item[];
  sweptAt: number;
}

/** An item is served by the caller of `take`, or dropped by the queue. */
export class FairQueue<Item> {
  readonly #isGone: (item: Item) => boolean;
  readonly #onDrop: (item: Item) => void;
  /** Of each account with an item that waits. The first is served next. */
  readonly #lanes = new Map<string, Lane<Item>>();
  /** How many items wait. */
  size = 0;

  /** `isGone`: whether the item was abandoned; default: never. `onDrop`: called once for each abandoned item. */
  constructor(isGone = (_: Item) => false, onDrop = (_: Item) => {}) {
    this.#isGone = isGone;
    this.#onDrop = onDrop;
  }

  /** How many items of the account wait. Those at its head that have gone are dropped. */
  waitingOf(account: string): number {
    this.#firstOf(account);
    return this.#lanes.get(account)?.items.length ?? 0;
  }

  add(account: string, item: Item): void {
    const lane = this.#lanes.get(account) ?? { items: [], sweptAt: SWEPT_MIN };
    if (lane.items.push(item) === 1) this.#lanes.set(account, lane);
    this.size++;
    if (lane.items.length < lane.sweptAt) return;
    const gone = new Set(lane.items.filter(this.#isGone));
    lane.items = lane.items.filter((waiting) => !gone.has(waiting));
    lane.sweptAt = Math.max(SWEPT_MIN, 2 * lane.items.length);
    if (lane.items.length === 0) this.#lanes.delete(account);
    this.size -= gone.size;
    for (const one of gone) this.#onDrop(one);
  }

  /**
   * The next item that may be served: the oldest one of the first account in rotation whose
   * oldest one fits. Undefined if none fits. The account moves to the end of the rotation.
   */
  take(fits?: (item: Item) => boolean): Item | undefined {
    for (const [account, lane] of this.#lanes) {
      const first = this.#firstOf(account);
      if (first === undefined || fits?.(first) === false) continue;
      this.#shift(account, lane);
      if (this.#lanes.size > 1 && this.#lanes.delete(account)) this.#lanes.set(account, lane);
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
      if (!this.#isGone(first)) return first;
      this.#shift(account, lane);
      this.#onDrop(first);
    }
    return undefined;
  }

  #shift(account: string, lane: Lane<Item>): void {
    lane.items.shift();
    this.size--;
    if (lane.items.length === 0) this.#lanes.delete(account);
  }
}

/** A request that waits: it continues, or ends if its client has gone. */
export interface Waiter {
  readonly isDisconnected: (() => boolean) | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** Nobody reads this answer; the log of requests has it. */
const DISCONNECTED = failed('BAD_REQUEST', 'the client disconnected before its turn');

/** A queue of requests that wait. */
export function waiters<W extends Waiter>(): FairQueue<W> {
  return new FairQueue<W>(
    ({ isDisconnected }) => isDisconnected?.() === true,
    ({ reject }) => reject(new FailureError(DISCONNECTED.failure)),
  );
}
