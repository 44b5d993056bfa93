// The rows of the payments view, made from the orders as they are read.

import type { Rows } from '../domain/listing.js';
import { paymentRow, sharedPieces } from '../domain/payment.js';
import type { Turns } from '../turns.js';
import type { MemoryRecord } from './memory-record.js';
import type { RecordWork } from './record-work.js';

/** A longer order is parsed once, perhaps in another thread, and the small rest of its row is kept. */
const LONG_ORDER_CHARACTERS = 4_096;
/** Up to so many rows are made in one go. */
const AT_ONCE_MAX_ROWS = 100;
const PIECE_CHARACTERS = 32_768;

export class PaymentRows {
  readonly #work: RecordWork;
  readonly #turns: Turns;
  /** The rows of long orders, in pieces; a record is never changed in place. */
  readonly #long = new WeakMap<MemoryRecord, Promise<readonly string[]>>();
  /** The last piece of work of each account that has any: one at a time, however many readers wait. */
  readonly #working = new Map<string, Promise<unknown>>();

  constructor(work: RecordWork, turns: Turns) {
    this.#work = work;
    this.#turns = turns;
  }

  /** A row for each order, newest first. `orders`: oldest first; the array must stay as it is. */
  of(owner: string, orders: readonly MemoryRecord[]): Rows {
    const isLong = ({ text }: MemoryRecord) => text.length > LONG_ORDER_CHARACTERS;
    return orders.length > AT_ONCE_MAX_ROWS || orders.some(isLong)
      ? this.#pieces(owner, orders)
      : orders.map(({ text }) => paymentRow(text)).reverse();
  }

  async *#pieces(owner: string, orders: readonly MemoryRecord[]): AsyncGenerator<string> {
    let gathered = '';
    for (let i = orders.length - 1; i >= 0; i--) {
      const order = orders[i];
      if (order === undefined) break;
      if (gathered.length > PIECE_CHARACTERS) {
        yield gathered;
        gathered = '';
      }
      if (this.#turns.isOver) await this.#turns.next(owner);
      if (order.text.length <= LONG_ORDER_CHARACTERS) {
        gathered += paymentRow(order.text);
      } else {
        yield gathered;
        gathered = '';
        // Piece by piece: joined, a long value would be copied for every reader.
        yield* await this.#longRow(owner, order);
      }
      if (i > 0) gathered += ',';
    }
    yield gathered;
  }

  #longRow(owner: string, order: MemoryRecord): Promise<readonly string[]> {
    const known = this.#long.get(order);
    if (known !== undefined) return known;
    const making = this.#afterOthers(owner, async () =>
      sharedPieces(order.text, await this.#work.paymentPieces(order.text)),
    );
    this.#long.set(order, making);
    // A row that could not be made is tried again by the next reader.
    making.catch(() => this.#long.delete(order));
    return making;
  }

  #afterOthers<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(owner) ?? Promise.resolve();
    const done = before.then(work, work);
    const ended = done.then(
      () => {},
      () => {},
    );
    this.#working.set(owner, ended);
    void ended.then(() => {
      if (this.#working.get(owner) === ended) this.#working.delete(owner);
    });
    return done;
  }
}
