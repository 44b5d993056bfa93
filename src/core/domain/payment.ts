// The payments view: one row computed from each order, nothing stored.

import { paymentIdOf } from './identifier.js';
import type { JsonObject, JsonValue } from './json.js';

export interface Payment {
  readonly id: string;
  readonly order_id: JsonValue;
  readonly customer: JsonValue;
  readonly amount: number;
  readonly paid: number;
  readonly due: number;
  readonly currency: JsonValue;
  readonly method: JsonValue;
  readonly status: 'paid' | 'pending';
}

/** The text of an order's payment row. */
export function paymentRow(order: string): string {
  return JSON.stringify(paymentOf(JSON.parse(order)));
}

/**
 * The text of an order's payment row, in pieces. A long value is a piece of its
 * own, so that it can be shared with the order's text (`sharedPieces`).
 */
export function paymentPieces(order: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '{';
  for (const [name, value] of Object.entries(paymentOf(JSON.parse(order)))) {
    const text = JSON.stringify(value);
    piece += `${piece === '{' ? '' : ','}"${name}":`;
    if (text.length <= SHARED_MIN_CHARACTERS) {
      piece += text;
      continue;
    }
    pieces.push(piece, text);
    piece = '';
  }
  pieces.push(`${piece}}`);
  return pieces;
}

/** Shorter values are copied. */
const SHARED_MIN_CHARACTERS = 1_024;

/** The same pieces, with each long one replaced by the part of the order's text that it stands in. */
export function sharedPieces(order: string, pieces: readonly string[]): readonly string[] {
  return pieces.map((piece, index) => {
    const name = /"([a-z_]+)":$/.exec(pieces[index - 1] ?? '')?.[1];
    return name === undefined ? piece : partOf(order, `"${name}":`, piece);
  });
}

/** The value behind the name in the text. A slice takes no memory of its own. */
function partOf(text: string, name: string, value: string): string {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const start = at + name.length;
    if (text.startsWith(value, start)) return text.slice(start, start + value.length);
  }
  return value;
}

/** "`paid` when paid >= amount, otherwise `pending`"; a stored amount that is no number counts as 0. */
export function paymentOf(order: JsonObject): Payment {
  const amount = numberOr0(order['amount']);
  const paid = numberOr0(order['paid']);
  return {
    id: paymentIdOf(String(order['id'])),
    order_id: order['id'] ?? null,
    customer: order['customer'] ?? null,
    amount,
    paid,
    due: finite(amount - paid),
    currency: order['currency'] ?? null,
    method: order['method'] ?? null,
    status: paid >= amount ? 'paid' : 'pending',
  };
}

/** JSON has no infinity: the largest double stands for a difference beyond it. */
function finite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
}

function numberOr0(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
