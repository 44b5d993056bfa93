// An account in its object: when its records are served, and what becomes of a write
// that was under way when they no longer are.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NO_LIMITS } from '../../src/core/records/account-limits.js';
import type { DirectoryStub } from '../../src/hosts/workers/account-call.js';
import { Outbox } from '../../src/hosts/workers/outbox.js';
import { ServedAccount } from '../../src/hosts/workers/served-account.js';
import { beginArrival } from '../../src/storage/object/arrival.js';
import { ObjectRecordStorage } from '../../src/storage/object/object-record-storage.js';
import { keptLog } from '../support/kept-log.js';
import { openObjectStorage } from '../support/object-storage.js';

const BODY = '{"name":"Neema","phone":"1"}';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** An object of the account `neema` that nothing was written to yet. */
async function openAccount() {
  const storage = {
    ...openObjectStorage(),
    deleteAlarm: async () => {},
    deleteAll: async () => {},
  };
  const log = keptLog();
  const apply: DirectoryStub['apply'] = async ({ revision }) => ({ revision });
  const directory = () => ({ apply }) as Partial<DirectoryStub> as DirectoryStub;
  const outbox = new Outbox({ storage, directory, log, clock: Date.now, random: () => 0 });
  const recordStorage = new ObjectRecordStorage({ storage, epoch: 'first', follower: outbox });
  const ctx = {
    storage,
    abort() {},
    blockConcurrencyWhile: <T>(run: () => Promise<T>) => run(),
  };
  const parts = { ctx, recordStorage, outbox, limits: NO_LIMITS, seedsSamples: true, log };
  const account = new ServedAccount(parts);
  await account.load();
  const records = async () => (await account.records('neema'))?.account('neema');
  return { account, storage, records };
}
type Opened = Awaited<ReturnType<typeof openAccount>>;

it.each<[string, string[], (opened: Opened) => unknown]>([
  ['restarting', ['CUS-0001'], ({ account }) => account.restart()],
  [
    'arriving',
    [],
    ({ account, storage }) =>
      account.reload(() => beginArrival(storage, { owner: 'neema', load: 'a-dump' })),
  ],
])(
  'A write under way when the account is %s is refused, because it would be lost',
  async (state, kept, end) => {
    const opened = await openAccount();
    const served = await opened.records();
    for (const _ of kept) await served?.create('customers', BODY);
    const writing = served?.create('customers', BODY);
    await end(opened);
    expect([opened.account.state, await opened.records()]).toEqual([state, undefined]);
    expect(await writing).toMatchObject({ ok: false, failure: { code: 'STORAGE_FAILED' } });
    const ids = [...opened.storage.sql.exec('select id from records')].map(({ id }) => id);
    expect(ids).toEqual(kept);
  },
);

it('An object answers for one account', async () => {
  const { account } = await openAccount();
  await account.records('neema');
  await expect(account.records('juma')).rejects.toThrow('for another account than this object');
});
