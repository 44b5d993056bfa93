// Contract, "Payment row": computed from an order, never stored.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/domain/json.js';
import {
  paymentOf,
  paymentPieces,
  paymentRow,
  sharedPieces,
} from '../../src/core/domain/payment.js';

const ORDER: JsonObject = {
  id: 'ORD-0042',
  owner_sub: 'auth0|1',
  customer: 'Neema Mushi',
  service: 'Box braids',
  amount: 45000,
  paid: 20000,
  status: 'Ready',
  currency: 'TZS',
  method: 'M-Pesa',
  customFields: { length_cm: 60 },
};

describe('paymentOf', () => {
  it('has exactly the properties of the contract', () => {
    expect(paymentOf(ORDER)).toEqual({
      id: 'PAY-0042',
      order_id: 'ORD-0042',
      customer: 'Neema Mushi',
      amount: 45000,
      paid: 20000,
      due: 25000,
      currency: 'TZS',
      method: 'M-Pesa',
      status: 'pending',
    });
    expect(Object.keys(paymentOf({}))).toEqual(Object.keys(paymentOf(ORDER)));
  });

  it.each([
    [45000, 0, 45000, 'pending'],
    [45000, 44999.99, 0.010000000002037268, 'pending'],
    [45000, 45000, 0, 'paid'],
    [45000, 45000.5, -0.5, 'paid'],
    [15000, 20000, -5000, 'paid'],
    [45000, -5000, 50000, 'pending'],
    [0.3, 0.1, 0.3 - 0.1, 'pending'],
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
      const unpaid = paymentOf({ ...ORDER, paid: value });
      expect(unpaid).toMatchObject({ paid: 0, due: 45000, status: 'pending' });
      const free = paymentOf({ ...ORDER, amount: value });
      expect(free).toMatchObject({ amount: 0, due: -20000, status: 'paid' });
    },
  );

  it('an order with nothing but its id still has a row', () => {
    expect(paymentOf({ id: 'ORD-0001' })).toEqual({
      id: 'PAY-0001',
      order_id: 'ORD-0001',
      customer: null,
      amount: 0,
      paid: 0,
      due: 0,
      currency: null,
      method: null,
      status: 'paid',
    });
  });

  it.each([null, undefined])('the method is null when the order has %s', (method) => {
    const { method: _, ...rest } = ORDER;
    expect(paymentOf(method === undefined ? rest : { ...rest, method }).method).toBeNull();
  });

  it("ignores the order's own status, and does not change the order", () => {
    const before = JSON.stringify(ORDER);
    expect(paymentOf({ ...ORDER, status: 'paid', due: 0 })).toEqual(paymentOf(ORDER));
    expect(JSON.stringify(ORDER)).toBe(before);
  });

  it('is paid exactly when nothing is due', () => {
    const price = fc.double({ min: -1e15, max: 1e15, noNaN: true });
    fc.assert(
      fc.property(price, price, (amount, paid) => {
        const { due, status } = paymentOf({ ...ORDER, amount, paid });
        expect(due).toBe(amount - paid);
        expect(status).toBe(due <= 0 ? 'paid' : 'pending');
      }),
    );
  });
});

describe('A payment row', () => {
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom('x'.repeat(5_000), '"customer":"'));

  it('is the text of the payment, whole or in pieces', () => {
    const more = fc.dictionary(fc.constantFrom('customer', 'method', 'note', 'a'), values);
    fc.assert(
      fc.property(more, more, (before, after) => {
        const text = JSON.stringify({ ...before, ...ORDER, ...after });
        const row = JSON.stringify(paymentOf(JSON.parse(text)));
        expect(paymentRow(text)).toBe(row);
        const pieces = paymentPieces(text);
        expect(pieces.join('')).toBe(row);
        expect(sharedPieces(text, pieces)).toEqual(pieces);
      }),
    );
  });

  it('shares a long value, and ignores a nested member of the same name', () => {
    const customer = 'x'.repeat(5_000);
    const text = JSON.stringify({ note: { customer: 'short' }, ...ORDER, customer });
    const shared = sharedPieces(text, paymentPieces(text));
    expect(shared.join('')).toBe(paymentRow(text));
  });

  it('has a long value as a piece of its own', () => {
    const customer = 'x'.repeat(100_000);
    const pieces = paymentPieces(JSON.stringify({ ...ORDER, customer }));
    expect(pieces.map(({ length }) => length > 1_000)).toEqual([false, true, false]);
    expect(pieces[1]).toBe(`"${customer}"`);
  });
});
