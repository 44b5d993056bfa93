// The rows of the payments view, made from the orders as they are read.

import { paymentRow, sharedPieces } from '../domain/payment.js';
import type { GiveWay } from '../domain/search.js';
import type { MemoryRecord } from './memory-record.js';
import { type ListSnapshot, newestFirst } from './record-list.js';
import type { RecordWork } from './record-work.js';

/** A longer order is parsed once, perhaps in another thread, and the small rest of its row is kept. */
const LONG_ORDER_CHARACTERS = 4_096;
const PIECE_CHARACTERS = 32_768;

export class PaymentRows {
  readonly #work: RecordWork;
  /** The rows of long orders, in pieces; a record is never changed in place. */
  readonly #long = new WeakMap<MemoryRecord, Promise<readonly string[]>>();

  constructor(work: RecordWork) {
    this.#work = work;
  }

  /** A row for each order, newest first: comma-separated, in pieces that are made as they are read. */
  async *of(owner: string, orders: ListSnapshot, giveWay: GiveWay): AsyncGenerator<string> {
    let gathered = '';
    let left = orders.length;
    for (const order of newestFirst(orders)) {
      if (gathered.length > PIECE_CHARACTERS) {
        yield gathered;
        gathered = '';
      }
      const turn = giveWay();
      if (turn !== undefined) await turn;
      if (order.text.length <= LONG_ORDER_CHARACTERS) {
        gathered += paymentRow(order.text);
      } else {
        yield gathered;
        gathered = '';
        // Piece by piece: joined, a long value would be copied for every reader.
        yield* await this.#longRow(owner, order);
      }
      left--;
      if (left > 0) gathered += ',';
    }
    yield gathered;
  }

  #longRow(owner: string, order: MemoryRecord): Promise<readonly string[]> {
    const known = this.#long.get(order);
    if (known !== undefined) return known;
    const making = Promise.resolve(this.#work.paymentPieces(order.text, owner)).then((pieces) =>
      sharedPieces(order.text, pieces),
    );
    this.#long.set(order, making);
    // A row that could not be made is tried again by the next reader.
    making.catch(() => this.#long.delete(order));
    return making;
  }
}
