// What the front makes of an account's answers, and of a sender that has gone. When a
// read is asked again is in calls.test.ts, on the platform's runtime.

import { expect, it } from 'vitest';
import { FailureError, failed, succeeded } from '../../src/domain/errors.js';
import type { AccountCall, AccountReply, AccountStub } from '../../src/worker/account-call.js';
import { movingIn } from '../../src/worker/account-move.js';
import { frontRecords, type Objects } from '../../src/worker/front-records.js';
import { keptLog } from '../support/kept-log.js';

const WRITTEN: AccountReply = { kind: 'outcome', outcome: succeeded('{}') };
const PAGE = { page: 1, pageSize: 20 };

/** A front whose accounts all give this answer. */
function openFront(reply: AccountReply = WRITTEN) {
  const calls: AccountCall[] = [];
  const perform = async (call: AccountCall) => {
    calls.push(call);
    return reply;
  };
  const objects = { account: () => ({ perform }) as Partial<AccountStub> } as unknown as Objects;
  const { account } = frontRecords(objects, keptLog());
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
  expect(await write(account('neema', { hasGone: () => true }))).toEqual(
    failed('BAD_REQUEST', 'the connection was closed before the change was made'),
  );
  expect(calls).toEqual([]);
});

it.each(WRITES)(
  'The front makes the %s of a sender that waits, or that is not known',
  async (name, write) => {
    const { account, calls } = openFront();
    const senders = [{ hasGone: () => false, actor: 'admin' as const }, undefined];
    for (const sender of senders) {
      expect(await write(account('neema', sender))).toEqual(WRITTEN.outcome);
    }
    expect(calls).toMatchObject([
      { owner: 'neema', actor: 'admin', operation: { name } },
      { owner: 'neema', actor: undefined, operation: { name } },
    ]);
  },
);

const READS: [string, (account: Account) => Promise<unknown>][] = [
  ['list', async (account) => account.list('customers', PAGE as never)],
  ['payments', async (account) => account.payments()],
  ['profile', async (account) => account.profile()],
];

it.each(READS)('The front says why an account refuses the %s', async (_, read) => {
  const { account } = openFront({ kind: 'outcome', outcome: movingIn() });
  const refused = read(account('neema', undefined));
  await expect(refused).rejects.toThrow(FailureError);
  await expect(refused).rejects.toMatchObject({
    failure: { code: 'STORAGE_UNAVAILABLE', retryAfterSeconds: 5 },
  });
});

it.each(READS)(
  'The front says that an object of another release cannot give the %s',
  async (_, read) => {
    const unsupported = read(openFront({ kind: 'unsupported' }).account('neema', undefined));
    await expect(unsupported).rejects.toThrow(
      'the account runs a version without this operation; a deployment may be under way',
    );
    const other = read(openFront().account('neema', undefined));
    await expect(other).rejects.toThrow('the account answered with "outcome", which is no answer');
  },
);
