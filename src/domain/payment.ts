// The payments view: one row computed from each order, nothing stored.

import { paymentIdOf } from './identifier.js';
import type { JsonObject, JsonValue } from './json.js';
import { members } from './json-text.js';

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

/** What a payment is made of. */
const SOURCES: ReadonlySet<string> = new Set([
  'id',
  'customer',
  'amount',
  'paid',
  'currency',
  'method',
]);
/** A shorter order is parsed sooner than looked through. */
const LONG_ORDER_CHARACTERS = 4_096;

/** The payment of a stored order. Of a long one only what it takes is parsed: no photograph, no list of a thousand items. */
export function paymentOfText(order: string): Payment {
  if (order.length <= LONG_ORDER_CHARACTERS) return paymentOf(JSON.parse(order));
  const sources: JsonObject = {};
  for (const { name, valueStart, end } of members(order)) {
    if (SOURCES.has(name)) sources[name] = JSON.parse(order.slice(valueStart, end));
  }
  return paymentOf(sources);
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
