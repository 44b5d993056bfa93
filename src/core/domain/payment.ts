// The payments view: one row computed from each order, nothing stored.

import { paymentIdOf } from './identifier.js';
import { type JsonObject, type JsonValue, parseRecord } from './json.js';

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
  return JSON.stringify(paymentOf(parseRecord(order)));
}

/** "`paid` when paid >= amount, otherwise `pending`"; a stored amount that isn't a number counts as 0. */
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
