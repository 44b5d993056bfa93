// A burst of requests by one account: other accounts begin between them.

import { expect, it } from 'vitest';
import { createHandler, FairScheduler, openRecords } from '../../src/handler.js';
import { openMemoryStorage } from '../../src/memory.js';

it('A request of another account begins after a slice of a burst, not after the whole burst', async () => {
  // Each look at the clock is half a millisecond later: four requests fill a slice.
  let now = 0;
  const scheduler = new FairScheduler({
    stopwatch: () => {
      now += 0.5;
      return now;
    },
  });
  const handler = createHandler({
    records: await openRecords({ storage: openMemoryStorage(), scheduler }),
    scheduler,
    identity: {
      identify: async (token) => ({ status: 'identified', subject: token }),
    },
  });
  const answered: string[] = [];
  const ask = async (account: string) => {
    const headers = { Authorization: `Bearer ${account}` };
    const response = await handler(
      new Request('http://localhost/api/v1/customers/CUS-0001', { headers }),
    );
    expect(response.status).toBe(404);
    answered.push(account);
  };
  await Promise.all([...Array.from({ length: 200 }, () => ask('flood')), ask('shop')]);
  expect(answered).toHaveLength(201);
  expect(answered.indexOf('shop')).toBeLessThan(20);
});
