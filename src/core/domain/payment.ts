// The payments view: one row for each order, computed and never stored.

import { type JsonObject, type JsonValue, parseRecord } from './json.js';

/** The text of an order's payment row. */
export function paymentRow(order: string): string {
  return JSON.stringify(paymentOf(parseRecord(order)));
}

/** "`paid` when paid >= amount, otherwise `pending`"; a stored amount that isn't a number counts as 0. */
export function paymentOf(order: JsonObject) {
  const amount = numberOr0(order['amount']);
  const paid = numberOr0(order['paid']);
  return {
    // "Derived from the order id": of `ORD-0042` it is `PAY-0042`.
    id: `PAY-${String(order['id']).replace(/^ORD-/, '')}`,
    order_id: order['id'] ?? null,
    customer: order['customer'] ?? null,
    amount,
    paid,
    // JSON has no infinity, so the largest double replaces it.
    due: Math.min(Math.max(amount - paid, -Number.MAX_VALUE), Number.MAX_VALUE),
    currency: order['currency'] ?? null,
    method: order['method'] ?? null,
    status: paid >= amount ? ('paid' as const) : ('pending' as const),
  };
}

function numberOr0(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
