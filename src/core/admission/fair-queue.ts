// What waits for its turn, by account: the accounts are served in rotation, and each account
// oldest first. What was abandoned takes no turn. Every queue of the service is one of these.

import { clientClosedRequest } from '../domain/errors.js';

/** Whether the caller has gone. */
export type IsDisconnected = () => boolean;

/** A request that waits. The caller of `take` serves it; if its client has gone, the queue rejects it. */
export interface Waiter {
  readonly isDisconnected: IsDisconnected | undefined;
  readonly reject: (reason: unknown) => void;
}

/** A request that goes on in its turn. */
export interface WaitingTurn extends Waiter {
  readonly resolve: () => void;
}

export class FairQueue<Item extends Waiter> {
  /** The items of each account that has one. The first account is served next. */
  readonly #lanes = new Map<string, Item[]>();
  /** How many items wait. */
  size = 0;

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
      const first = this.firstOf(account);
      if (first === undefined || !fits(first)) continue;
      this.#shift(account, lane);
      if (this.#lanes.delete(account)) this.#lanes.set(account, lane);
      return first;
    }
    return undefined;
  }

  /** The account's oldest item that has not gone. Those before it are dropped. */
  firstOf(account: string): Item | undefined {
    const lane = this.#lanes.get(account) ?? [];
    while (lane[0]?.isDisconnected?.()) this.#shift(account, lane).reject(clientClosedRequest());
    return lane[0];
  }

  #shift(account: string, lane: Item[]): Item {
    this.size--;
    if (lane.length === 1) this.#lanes.delete(account);
    return lane.shift() as Item;
  }
}
