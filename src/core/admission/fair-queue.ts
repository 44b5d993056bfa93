// A queue by account: the accounts take turns, and each account is served oldest first. Requests of clients
// that disconnected are dropped. Every queue of the service is one of these.

import { clientClosedRequest } from '../domain/errors.js';

/** Whether the client has disconnected. */
export type IsDisconnected = () => boolean;

/** A request in the queue. The caller of `take` serves it; if its client has disconnected, the queue rejects it. */
export interface Waiter {
  readonly isDisconnected: IsDisconnected | undefined;
  readonly reject: (reason: unknown) => void;
}

/** A request that continues when it is its account's turn. */
export interface WaitingTurn extends Waiter {
  readonly resolve: () => void;
}

export class FairQueue<Item extends Waiter> {
  /** The items of each waiting account. The first account is served next. */
  readonly #queues = new Map<string, Item[]>();
  /** How many items wait. */
  size = 0;

  add(account: string, item: Item): void {
    const queue = this.#queues.get(account);
    if (queue === undefined) this.#queues.set(account, [item]);
    else queue.push(item);
    this.size++;
  }

  /**
   * Takes the oldest item of the first account whose oldest item fits, and moves the account to the end
   * of the rotation. Undefined if none fits.
   */
  take(fits: (item: Item) => boolean = () => true): Item | undefined {
    for (const [account, queue] of this.#queues) {
      const first = this.firstOf(account);
      if (first === undefined || !fits(first)) continue;
      this.#shift(account, queue);
      if (this.#queues.delete(account)) this.#queues.set(account, queue);
      return first;
    }
    return undefined;
  }

  /** The account's oldest item whose client is still connected. Drops those before it. */
  firstOf(account: string): Item | undefined {
    const queue = this.#queues.get(account) ?? [];
    while (queue[0]?.isDisconnected?.()) this.#shift(account, queue).reject(clientClosedRequest());
    return queue[0];
  }

  #shift(account: string, queue: Item[]): Item {
    this.size--;
    if (queue.length === 1) this.#queues.delete(account);
    return queue.shift() as Item;
  }
}
