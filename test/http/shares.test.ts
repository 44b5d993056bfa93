// Whose bytes a request holds: an account that has used up its share makes nobody
// else wait, and the operator has a share, too.

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { createHandler, openRecords } from '../../src/handler.js';
import { localIdentity, openMemoryStorage } from '../../src/memory.js';

const KEY = 'the-operator-key-of-the-handler-tests';

it('each account and the operator have shares of their own', async () => {
  const handler = createHandler({
    records: await openRecords({ storage: openMemoryStorage() }),
    // On a slow machine the slice of a turn could be over before all five have begun.
    scheduler: new FairScheduler({ sliceMs: Infinity }),
    identity: localIdentity(),
    adminKey: KEY,
    // A body of the largest size, once for each.
    admission: { accountMaxBytes: 1_500_000, totalMaxBytes: 10_485_760, ownShareBytes: 0 },
  });
  const read: string[] = [];
  const arrived: (() => void)[] = [];
  const post = (name: string) => {
    const isOperator = name === 'operator';
    const path = isOperator ? '/admin/accounts/local-juma/businesses' : '/businesses';
    const headers = isOperator
      ? { 'X-Service-Admin-Key': KEY }
      : { Authorization: `Bearer local-${name}` };
    const readBody = async () => {
      read.push(name);
      await new Promise<void>((resolve) => arrived.push(resolve));
      return new TextEncoder().encode('{}');
    };
    const request = new Request(`http://localhost/api/v1${path}`, { method: 'POST', headers });
    return handler(request, { readBody });
  };
  const sent = ['neema', 'neema', 'juma', 'operator', 'operator'].map(post);
  await setImmediate();
  expect(read).toEqual(['neema', 'juma', 'operator']);
  for (let i = 0; i < sent.length; i++) {
    while (arrived.length <= i) await setImmediate();
    arrived[i]?.();
  }
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
});
