// The rows of the payments view, made from the orders as they are read.

import type { GiveWay } from '../domain/search.js';
import type { MemoryRecord } from './record-list.js';
import { type ListSnapshot, newestFirst } from './record-list.js';
import type { RecordWork } from './record-work.js';

/** The row of a longer order is kept, because parsing that takes long; a longer row is not kept. */
const LONG_CHARACTERS = 4_096;
const PIECE_CHARACTERS = 32_768;

export class PaymentRows {
  readonly #work: RecordWork;
  /** A record is never changed in place. */
  readonly #kept = new WeakMap<MemoryRecord, string>();

  constructor(work: RecordWork) {
    this.#work = work;
  }

  /** A row for each order, newest first: comma-separated, in pieces that are made as they are read. */
  async *of(owner: string, orders: ListSnapshot, giveWay: GiveWay): AsyncGenerator<string> {
    let gathered = '';
    let separator = '';
    for (const order of newestFirst(orders)) {
      if (gathered.length > PIECE_CHARACTERS) {
        yield gathered;
        gathered = '';
      }
      const turn = giveWay();
      if (turn !== undefined) await turn;
      const known = this.#kept.get(order) ?? this.#work.paymentRow(order.text, owner);
      const row = typeof known === 'string' ? known : await known;
      if (order.text.length > LONG_CHARACTERS && row.length <= LONG_CHARACTERS) {
        this.#kept.set(order, row);
      }
      gathered += separator + row;
      separator = ',';
    }
    yield gathered;
  }
}
