// What waits for its turn, by account: the accounts are served in rotation, and each account
// oldest first. Abandoned items take no turn. Every queue of the service is one of these.

import { FailureError, failed } from '../domain/errors.js';

/** An item is served by the caller of `take`, or dropped by the queue. */
export class FairQueue<Item> {
  readonly #isGone: (item: Item) => boolean;
  readonly #onDrop: (item: Item) => void;
  /** The items of each account that has one. The first account is served next. */
  readonly #lanes = new Map<string, Item[]>();
  /** How many items wait. */
  size = 0;

  /** `isGone`: whether the item was abandoned. `onDrop`: called once for each abandoned item. */
  constructor(isGone: (item: Item) => boolean, onDrop: (item: Item) => void) {
    this.#isGone = isGone;
    this.#onDrop = onDrop;
  }

  /** Whether an item of the account waits. Those at its head that were abandoned are dropped. */
  isWaiting(account: string): boolean {
    return this.#firstOf(account) !== undefined;
  }

  add(account: string, item: Item): void {
    const lane = this.#lanes.get(account);
    if (lane === undefined) this.#lanes.set(account, [item]);
    else lane.push(item);
    this.size++;
  }

  /**
   * The next item that may be served: the oldest one of the first account in rotation whose
   * oldest one fits. Undefined if none fits. The account moves to the end of the rotation.
   */
  take(fits: (item: Item) => boolean = () => true): Item | undefined {
    for (const [account, lane] of this.#lanes) {
      const first = this.#firstOf(account);
      if (first === undefined || !fits(first)) continue;
      this.#shift(account, lane);
      if (this.#lanes.delete(account)) this.#lanes.set(account, lane);
      return first;
    }
    return undefined;
  }

  /** The account's oldest item that has not gone. */
  #firstOf(account: string): Item | undefined {
    const lane = this.#lanes.get(account) ?? [];
    while (lane[0] !== undefined && this.#isGone(lane[0])) this.#onDrop(this.#shift(account, lane));
    return lane[0];
  }

  #shift(account: string, lane: Item[]): Item {
    this.size--;
    if (lane.length === 1) this.#lanes.delete(account);
    return lane.shift() as Item;
  }
}

/** A request that waits: it continues, or ends if its client has gone. */
export interface Waiter {
  readonly isDisconnected: (() => boolean) | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** A queue of requests that wait. Nobody reads the answer to a client that has gone; the log of requests has it. */
export function waiters<W extends Waiter>(): FairQueue<W> {
  const { failure } = failed('BAD_REQUEST', 'the client disconnected before its turn');
  return new FairQueue<W>(
    ({ isDisconnected }) => isDisconnected?.() === true,
    ({ reject }) => reject(new FailureError(failure)),
  );
}
