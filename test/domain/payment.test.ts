// Contract, "Payment row": computed from an order, never stored.

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/domain/json.js';
import { paymentOf } from '../../src/core/domain/payment.js';

const ORDER: JsonObject = {
  ...{ id: 'ORD-0042', owner_sub: 'auth0|1', customer: 'Neema Mushi', service: 'Box braids' },
  ...{ amount: 45000, paid: 20000, status: 'Ready', currency: 'TZS', method: 'M-Pesa' },
  customFields: { length_cm: 60 },
};

describe('paymentOf', () => {
  it('has exactly the properties of the contract', () => {
    expect(paymentOf(ORDER)).toEqual({
      ...{ id: 'PAY-0042', order_id: 'ORD-0042', customer: 'Neema Mushi' },
      ...{ amount: 45000, paid: 20000, due: 25000, currency: 'TZS' },
      ...{ method: 'M-Pesa', status: 'pending' },
    });
    expect(paymentOf({ id: 'ORD-0001' })).toEqual({
      ...{ id: 'PAY-0001', order_id: 'ORD-0001', customer: null, currency: null, method: null },
      ...{ amount: 0, paid: 0, due: 0, status: 'paid' },
    });
  });

  it.each([
    [45000, 0, 45000, 'pending'],
    [45000, 44999.99, 0.010000000002037268, 'pending'],
    [45000, 45000, 0, 'paid'],
    [15000, 20000, -5000, 'paid'],
    [45000, -5000, 50000, 'pending'],
    // Their difference is beyond what JSON can say.
    [1.7e308, -1.7e308, Number.MAX_VALUE, 'pending'],
    [-1.7e308, 1.7e308, -Number.MAX_VALUE, 'paid'],
    [0.3, 0.1 + 0.2, 0.3 - (0.1 + 0.2), 'paid'],
  ])('amount %d, paid %d: due %d, %s', (amount, paid, due, status) => {
    expect(paymentOf({ ...ORDER, amount, paid })).toMatchObject({ amount, paid, due, status });
  });

  it.each([null, '45000', true, [45000], { value: 45000 }, ''] as JsonValue[])(
    'an amount or paid of %j counts as 0',
    (value) => {
      expect(paymentOf({ ...ORDER, paid: value })).toMatchObject({ paid: 0, due: 45000 });
      expect(paymentOf({ ...ORDER, amount: value })).toMatchObject({ amount: 0, due: -20000 });
    },
  );

  it("ignores the order's own status, and does not change the order", () => {
    const before = JSON.stringify(ORDER);
    expect(paymentOf({ ...ORDER, status: 'paid', due: 0 })).toEqual(paymentOf(ORDER));
    expect(JSON.stringify(ORDER)).toBe(before);
  });
});
