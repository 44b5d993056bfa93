// Contract, "Payment row": what test/contract/payments.test.ts can't store.

import { expect, it } from 'vitest';
import { paymentOf } from '../../src/core/domain/payment.js';

it.each([
  [1.7e308, -1.7e308, Number.MAX_VALUE, 'pending'],
  [-1.7e308, 1.7e308, -Number.MAX_VALUE, 'paid'],
  [0.3, 0.1 + 0.2, 0.3 - (0.1 + 0.2), 'paid'],
])(
  'Of an amount of %d with %d paid, %d are due, in a number that JSON has: %s',
  (amount, paid, due, status) => {
    expect(paymentOf({ id: 'ORD-1', amount, paid })).toMatchObject({ due, status });
  },
);
