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

/** A front whose accounts all give this answer. */
function openFront(answer: () => unknown = () => WRITTEN) {
  const calls: (Caller & { readonly method: string })[] = [];
  const stub = new Proxy({} as AccountStub, {
    get: (_, method) => async (caller: Caller) => {
      calls.push({ ...caller, method: String(method) });
      return answer();
    },
  });
  const { account } = gatewayRecords(
    { account: () => stub } as Partial<Objects> as Objects,
    keptLog(),
  );
  return { account, calls };
}

type Account = ReturnType<ReturnType<typeof openFront>['account']>;

const WRITES: [string, (account: Account) => Promise<unknown>][] = [
  ['create', (account) => account.create('customers', '{}')],
  ['update', (account) => account.update('customers', 'CUS-0001', '{}')],
  ['delete', (account) => account.delete('customers', 'CUS-0001')],
];

it.each(WRITES)('The front makes no %s whose sender has gone', async (_, write) => {
  const { account, calls } = openFront();
  expect(await write(account('neema', { isDisconnected: () => true }))).toEqual(
    failed('BAD_REQUEST', 'the connection was closed before the change was made'),
  );
  expect(calls).toEqual([]);
});

it.each(WRITES)(
  'The front makes the %s of a sender that waits, or that is not known',
  async (name, write) => {
    const { account, calls } = openFront();
    const senders = [{ isDisconnected: () => false, actor: 'admin' as const }, undefined];
    for (const sender of senders) {
      expect(await write(account('neema', sender))).toEqual(WRITTEN);
    }
    expect(calls).toMatchObject([
      { owner: 'neema', actor: 'admin', method: name },
      { owner: 'neema', actor: undefined, method: name },
    ]);
  },
);

const PAGES: [string, (account: Account) => Promise<unknown>][] = [
  ['list', async (account) => account.list('customers', PAGE as never)],
  ['payments', async (account) => account.payments()],
];

it.each(PAGES)('The front says why an account refuses the %s', async (_, read) => {
  const { account } = openFront(notServed);
  const refused = read(account('neema', undefined));
  await expect(refused).rejects.toThrow(FailureError);
  await expect(refused).rejects.toMatchObject({
    failure: { code: 'STORAGE_UNAVAILABLE', retryAfterSeconds: 5 },
  });
});

it.each([
  ...PAGES,
  ...WRITES,
  ['read', async (account: Account) => account.read('customers', 'CUS-0001')] as const,
  ['profile', async (account: Account) => account.profile()] as const,
])('The front says that an object of another release cannot do the %s', async (name, ask) => {
  const { account } = openFront(() => {
    throw new TypeError(`The RPC receiver does not implement the method "${name}".`);
  });
  await expect(ask(account('neema', undefined))).rejects.toThrow(
    'the account runs a version without this operation; a deployment may be under way',
  );
});
