// Contract, "Payment row": what test/contract/payments.test.ts can't store.

import { expect, it } from 'vitest';
import { paymentOf } from '../../src/core/domain/payment.js';

it.each([
  [1.7e308, -1.7e308, Number.MAX_VALUE, 'pending'],
  [-1.7e308, 1.7e308, -Number.MAX_VALUE, 'paid'],
  [0.3, 0.1 + 0.2, 0.3 - (0.1 + 0.2), 'paid'],
])(
  'With an amount of %d and %d paid, %d is due, as a number that JSON can hold: %s',
  (amount, paid, due, status) => {
    expect(paymentOf({ id: 'ORD-1', amount, paid })).toMatchObject({ due, status });
  },
);
