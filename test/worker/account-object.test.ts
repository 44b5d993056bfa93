// The parts of an account's object: what it tells the directory, how much at a time and how
// often, how long it waits while the directory is down; when its records are served; and the
// numbers and sizes of its rows.

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AuditEvent } from '../../src/core/domain/audit-event.js';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { NO_LIMITS } from '../../src/core/records/account-limits.js';
import type { PutRow } from '../../src/core/records/record-storage.js';
import type { Delivery, DirectoryStub } from '../../src/hosts/workers/account-call.js';
import { AccountStats } from '../../src/hosts/workers/account-stats.js';
import { Outbox } from '../../src/hosts/workers/outbox.js';
import { ServedAccount } from '../../src/hosts/workers/served-account.js';
import { beginArrival } from '../../src/storage/object/arrival.js';
import { ObjectRecordStorage } from '../../src/storage/object/object-record-storage.js';
import { changes, row } from '../storage/storage-conformance.js';
import { keptLog } from '../support/kept-log.js';
import { openObjectStorage } from '../support/object-storage.js';

const START = Date.UTC(2026, 0, 14);

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** The object of the account `neema`, whose directory takes or refuses deliveries as the test says. */
function openObject(random = 0) {
  const storage = openObjectStorage();
  const log = keptLog();
  const deliveries: Delivery[] = [];
  const directory = { isDown: false };
  const apply = async (delivery: Delivery) => {
    deliveries.push(delivery);
    if (directory.isDown) throw new Error('the directory is down');
    return { revision: delivery.revision };
  };
  const outbox = new Outbox({
    ...{ storage, log, clock: Date.now, random: () => random },
    directory: () => ({ apply }) as Partial<DirectoryStub> as DirectoryStub,
  });
  const recordStorage = new ObjectRecordStorage({ storage, epoch: 'first', follower: outbox });
  outbox.expectOwner('neema');
  let position = 0;
  async function commit(
    collection: CollectionName = 'customers',
    { body = '{}', events = [] as readonly AuditEvent[] } = {},
  ) {
    position++;
    const puts = [{ position, collection, id: `R-${position}`, body }];
    await recordStorage.commit(changes({ puts, events, at: Date.now() }));
  }
  const ctx = {
    storage: { ...storage, deleteAlarm: async () => {}, deleteAll: async () => {} },
    abort() {},
    blockConcurrencyWhile: <T>(run: () => Promise<T>) => run(),
  };
  const parts = { ctx, recordStorage, outbox, limits: NO_LIMITS, seedsSamples: true, log };
  const account = new ServedAccount(parts);
  return { storage, log, deliveries, directory, outbox, commit, account };
}
type Opened = ReturnType<typeof openObject>;

it('A change is delivered at once, then at most every 250 ms, with the whole state', async () => {
  const { deliveries, commit, outbox } = openObject();
  await commit();
  await vi.advanceTimersByTimeAsync(0);
  for (let i = 0; i < 3; i++) await commit();
  await vi.advanceTimersByTimeAsync(249);
  expect(deliveries.map(({ revision }) => revision)).toEqual([1]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(deliveries.map(({ revision }) => revision)).toEqual([1, 4]);
  expect(deliveries[1]).toMatchObject({ owner: 'neema', counts: { customers: 4 }, events: [] });
  expect([outbox.isPending, outbox.revision]).toEqual([false, 4]);
});

// Longer by chance, so that not all accounts deliver at once.
it.each([
  [0, [2_000, 30_000, 30_000]],
  [0.5, [2_500, 37_500, 37_500]],
])(
  'A failed delivery is tried again after a short wait, then long ones (random %d)',
  async (random, waits) => {
    const { storage, directory, commit, outbox, log } = openObject(random);
    directory.isDown = true;
    // One alarm is enough.
    for (const _ of [1, 2]) await commit();
    expect(storage.alarms).toHaveLength(1);
    for (const wait of waits) {
      expect(storage.alarms.at(-1)).toBe(Date.now() + wait);
      await outbox.onAlarm();
    }
    // Logged once until the directory answers again.
    expect(log.lines.map(({ event }) => event)).toEqual(['directory_unavailable']);
    directory.isDown = false;
    const alarms = storage.alarms.length;
    await outbox.onAlarm();
    expect(storage.alarms).toHaveLength(alarms);
    await commit();
    expect(storage.alarms.at(-1)).toBe(Date.now() + Number(waits[0]));
  },
);

it.each([
  ['500 events', Array<number>(1_200).fill(0), [500, 500, 200]],
  ['4,000,000 bytes, and at least one event', [5_000_000, 1_900_000, 1_900_000], [1, 2]],
])('A delivery brings events of at most %s, in order, each once', async (_, sizes, parts) => {
  const events = sizes.map((size) => ({ record_id: 'x'.repeat(size) }) as AuditEvent);
  const { deliveries, commit, outbox } = openObject();
  await commit('customers', { events });
  expect(await outbox.deliver()).toBe(true);
  expect(deliveries.map(({ events }) => events.length)).toEqual(parts);
  const numbers = deliveries.flatMap(({ events }) => events.map(({ number }) => number));
  expect(numbers).toEqual(events.map((_, i) => i + 1));
});

it('A delivery brings the texts for the search after a change of a business, and again after a failure; at most 8,000,000 bytes', async () => {
  const { deliveries, directory, commit, outbox } = openObject();
  const deliver = async (collection: CollectionName, isDown = false) => {
    directory.isDown = isDown;
    await commit(collection, { body: '{"N":"A"}' });
    await outbox.deliver();
    return deliveries.at(-1)?.searchTexts?.length;
  };
  expect(await deliver('customers')).toBeUndefined();
  expect(await deliver('businesses')).toBe(1);
  expect(await deliver('customers')).toBeUndefined();
  expect(await deliver('businesses', true)).toBe(2);
  expect(await deliver('customers')).toBe(2);
  expect(deliveries.at(-1)?.searchTexts?.[0]).toBe('{"n":"a"}');
  const body = JSON.stringify({ note: 'x'.repeat(1_999_980) });
  for (let i = 0; i < 5; i++) await commit('businesses', { body });
  expect(await deliver('customers')).toBe(2 + 4);
});

it('An outbox that is loaded again sets an alarm if there is none, and only if something is left to deliver', async () => {
  const { storage, outbox, directory, commit } = openObject();
  const loadedAgain = async () => {
    // The platform has forgotten an alarm that has gone off.
    storage.alarms.length = 0;
    outbox.load();
    await outbox.resume();
    return [...storage.alarms];
  };
  directory.isDown = true;
  await commit();
  expect(await loadedAgain()).toEqual([START + 2_000]);
  directory.isDown = false;
  await outbox.onAlarm();
  expect(await loadedAgain()).toEqual([]);
});

const ARRIVAL = { owner: 'neema', load: 'a-dump' };
it.each<[string, string[], (opened: Opened) => unknown]>([
  ['restarting', ['CUS-0001'], ({ account }) => account.restart()],
  ['arriving', [], ({ account, storage }) => account.reload(() => beginArrival(storage, ARRIVAL))],
])(
  'A write under way when the account is %s is refused, because it would be lost',
  async (state, kept, end) => {
    const opened = openObject();
    const { account, storage } = opened;
    await account.load();
    const records = (await account.records('neema'))?.account('neema');
    const create = () => records?.create('customers', '{"name":"Neema","phone":"1"}');
    for (const _ of kept) await create();
    const writing = create();
    await end(opened);
    expect([account.state, await account.records('neema')]).toEqual([state, undefined]);
    expect(await writing).toMatchObject({ ok: false, failure: { code: 'STORAGE_FAILED' } });
    const ids = [...storage.sql.exec('select id from records')].map(({ id }) => id);
    expect(ids).toEqual(kept);
    await expect(account.records('juma')).rejects.toThrow('for another account than this object');
  },
);

const HOUR_MS = 3_600_000;
const NOW = 500_000 * HOUR_MS + 1_234;
/** A row of another release's collection is in no number. */
const COLLECTIONS = ['customers', 'orders', 'customers', 'orders', 'invoices'] as CollectionName[];
const FACTS = { owner: 'neema', status: undefined };

it('The stats equal a new count of every row after each commit', async () => {
  const body = fc.constantFrom('a', 'éé', 'long'.repeat(9), undefined);
  const commit = fc.record({
    // By row; undefined removes it.
    bodies: fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4'), body, { minKeys: 1 }),
    hoursAgo: fc.constantFrom(0, 1, 24, 720, 721, 722, 800),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 8 }), async (commits) => {
      const storage = openObjectStorage();
      const stats = new AccountStats(storage.sql);
      const follower = { create() {}, stage() {}, committed: stats.follow.bind(stats) };
      const recordStorage = new ObjectRecordStorage({ storage, epoch: 'first', follower });
      for (const { bodies, hoursAgo } of commits) {
        const puts: PutRow[] = [];
        const removals: number[] = [];
        for (const [at, text] of Object.entries(bodies)) {
          const collection = COLLECTIONS[Number(at)] ?? 'team';
          if (text === undefined) removals.push(Number(at) + 1);
          else puts.push({ ...row(Number(at) + 1, text), collection, ...FACTS });
        }
        const at = NOW - hoursAgo * HOUR_MS;
        const change = { puts, removals, sequences: {}, events: [], at };
        expect((await recordStorage.commit(change)).status).toBe('committed');
        const { created } = stats.holdings(NOW).customers;
        const fresh = new AccountStats(storage.sql);
        fresh.load(NOW);
        expect(stats.holdings(NOW)).toEqual(fresh.holdings(NOW));
        // Older hours are in no window of the usage view.
        const oldest = Math.min(...Object.keys(created).map(Number), NOW / HOUR_MS);
        expect(oldest).toBeGreaterThanOrEqual(Math.floor(NOW / HOUR_MS) - 721);
      }
    }),
  );
});
