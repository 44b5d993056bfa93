// What the gateway makes of a write whose sender has gone.

import { expect, it } from 'vitest';
import { failed, succeeded } from '../../src/core/domain/errors.js';
import type { AccountStub, Caller } from '../../src/hosts/workers/account-call.js';
import { gatewayRecords, type Objects } from '../../src/hosts/workers/gateway-records.js';
import { keptLog } from '../support/kept-log.js';

const WRITTEN = succeeded('{}');

/** A gateway whose accounts all give the same answer. */
function openGateway() {
  const calls: unknown[] = [];
  const get = (_: AccountStub, method: string) => async (caller: Caller) => {
    calls.push({ ...caller, method });
    return WRITTEN;
  };
  const stub = new Proxy({} as AccountStub, { get } as ProxyHandler<AccountStub>);
  const objects = { account: () => stub } as Partial<Objects> as Objects;
  return { account: gatewayRecords(objects, keptLog()).account, calls };
}

type Account = ReturnType<ReturnType<typeof openGateway>['account']>;
type Asked = readonly [method: string, ask: (account: Account) => Promise<unknown>];

const WRITES: readonly Asked[] = [
  ['create', (account) => account.create('customers', '{}')],
  ['update', (account) => account.update('customers', 'CUS-0001', '{}')],
  ['delete', (account) => account.delete('customers', 'CUS-0001')],
];
it.each(WRITES)(
  'The gateway makes the %s of a sender that waits or is unknown, and of no other',
  async (method, write) => {
    const { account, calls } = openGateway();
    const sender = { isDisconnected: () => false, actor: 'admin' as const };
    expect(await write(account('neema', sender))).toEqual(WRITTEN);
    expect(await write(account('neema'))).toEqual(WRITTEN);
    expect(calls).toMatchObject([
      { owner: 'neema', actor: 'admin', method },
      { owner: 'neema', actor: undefined, method },
    ]);
    const refused = failed('BAD_REQUEST', 'the connection was closed before the change was made');
    expect(await write(account('neema', { isDisconnected: () => true }))).toEqual(refused);
    expect(calls).toHaveLength(2);
  },
);
