// What the gateway makes of a write whose sender has gone.

import { expect, it } from 'vitest';
import { failed, succeeded } from '../../src/core/domain/errors.js';
import type { Sender } from '../../src/core/records/record-service.js';
import type { AccountStub, Caller } from '../../src/hosts/workers/account-call.js';
import { gatewayRecords, type Objects } from '../../src/hosts/workers/gateway-records.js';
import { keptLog } from '../support/kept-log.js';

it('The gateway makes each write of a sender that waits or is unknown, and of no other', async () => {
  const calls: unknown[] = [];
  const get = (_: AccountStub, method: string) => async (caller: Caller) => {
    calls.push([method, caller.owner, caller.actor]);
    return succeeded('{}');
  };
  const stub = new Proxy({} as AccountStub, { get } as ProxyHandler<AccountStub>);
  const objects = { account: () => stub } as Partial<Objects> as Objects;
  const writes = (sender?: Sender) => {
    const account = gatewayRecords(objects, keptLog()).account('neema', sender);
    const [create, update] = [account.create('customers', '{}'), account.update('team', 'a', '{}')];
    return Promise.all([create, update, account.delete('customers', 'CUS-0001')]);
  };
  for (const actor of ['admin', undefined] as const) {
    const sender = actor && { isDisconnected: () => false, actor };
    expect(await writes(sender)).toEqual(Array(3).fill(succeeded('{}')));
    const made = ['create', 'update', 'delete'].map((method) => [method, 'neema', actor]);
    expect(calls.splice(0)).toEqual(made);
  }
  const refused = failed('BAD_REQUEST', 'the connection was closed before the change was made');
  expect(await writes({ isDisconnected: () => true })).toEqual(Array(3).fill(refused));
  expect(calls).toEqual([]);
});
