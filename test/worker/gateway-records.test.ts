// What the gateway makes of an account's answers, and of a sender that has gone. When a
// read is asked again is in calls.test.ts, on the platform's runtime.

import { expect, it } from 'vitest';
import { FailureError, failed, succeeded } from '../../src/core/domain/errors.js';
import type { AccountStub, Caller } from '../../src/hosts/workers/account-call.js';
import { gatewayRecords, type Objects } from '../../src/hosts/workers/gateway-records.js';
import { notServed } from '../../src/hosts/workers/served-account.js';
import { keptLog } from '../support/kept-log.js';

const WRITTEN = succeeded('{}');
const PAGE = { page: 1, pageSize: 20 };

/** A gateway whose accounts all give this answer. */
function openGateway(answer: () => unknown = () => WRITTEN) {
  const calls: unknown[] = [];
  const get = (_: AccountStub, method: string) => async (caller: Caller) => {
    calls.push({ ...caller, method });
    return answer();
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
const PAGES: readonly Asked[] = [
  ['list', async (account) => account.list('customers', PAGE as never)],
  ['payments', async (account) => account.payments()],
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

it.each(PAGES)('The gateway says why an account refuses the %s', async (_, read) => {
  const refused = read(openGateway(notServed).account('neema'));
  await expect(refused).rejects.toThrow(FailureError);
  const failure = { code: 'STORAGE_UNAVAILABLE', retryAfterSeconds: 5 };
  await expect(refused).rejects.toMatchObject({ failure });
});
