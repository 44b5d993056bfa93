// What an account's object tells the directory: how much at a time, how often, and
// how long it waits when the directory is down.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AuditEvent } from '../../src/core/domain/audit-event.js';
import type { StoredRow } from '../../src/core/records/record-storage.js';
import type { Delivery, DirectoryStub } from '../../src/hosts/workers/account-call.js';
import { Outbox } from '../../src/hosts/workers/outbox.js';
import { ObjectRecordStorage } from '../../src/storage/object/object-record-storage.js';
import { changes } from '../storage/storage-conformance.js';
import { keptLog } from '../support/kept-log.js';
import { openObjectStorage } from '../support/object-storage.js';

const START = Date.UTC(2026, 0, 14);

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** An account whose directory takes or refuses deliveries as the test says. */
function openAccount(random = 0) {
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
    storage,
    directory: () => ({ apply }) as Partial<DirectoryStub> as DirectoryStub,
    log,
    clock: Date.now,
    random: () => random,
  });
  const recordStorage = new ObjectRecordStorage({ storage, epoch: 'first', follower: outbox });
  outbox.expectOwner('neema');
  let position = 0;
  async function commit(
    collection: StoredRow['collection'] = 'customers',
    { body = '{}', events = [] as readonly AuditEvent[] } = {},
  ) {
    position++;
    const puts = [{ position, collection, id: `R-${position}`, body }];
    await recordStorage.commit(changes({ puts, events, at: Date.now() }));
  }
  return { storage, log, deliveries, directory, outbox, commit };
}

/** An event whose JSON text has about this many characters. */
const eventOf = (characters: number) => ({ record_id: 'x'.repeat(characters) }) as AuditEvent;

it('A change is delivered at once, then at most every 250 ms, with the whole state', async () => {
  const { deliveries, commit, outbox } = openAccount();
  await commit();
  await vi.advanceTimersByTimeAsync(0);
  for (let i = 0; i < 3; i++) await commit();
  await vi.advanceTimersByTimeAsync(249);
  expect(deliveries.map(({ revision }) => revision)).toEqual([1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(deliveries.map(({ revision }) => revision)).toEqual([1, 4]);
  expect(deliveries[1]).toMatchObject({ owner: 'neema', counts: { customers: 4 }, events: [] });
  expect([outbox.isPending, outbox.revision]).toEqual([false, 4]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(deliveries).toHaveLength(2);
});

it('A failed delivery is tried again after 2 s, then every 30 s until the directory answers', async () => {
  const { storage, directory, commit, outbox, log } = openAccount();
  directory.isDown = true;
  await commit();
  const waits = [];
  for (let i = 0; i < 3; i++) {
    waits.push((storage.alarms.at(-1) ?? 0) - Date.now());
    await outbox.onAlarm();
  }
  expect(waits).toEqual([2_000, 30_000, 30_000]);
  // Logged once until the directory answers again.
  expect(log.lines.map(({ event }) => event)).toEqual(['directory_unavailable']);
  directory.isDown = false;
  const alarms = storage.alarms.length;
  await outbox.onAlarm();
  expect(storage.alarms).toHaveLength(alarms);
  await commit();
  expect((storage.alarms.at(-1) ?? 0) - Date.now()).toBe(2_000);
});

it('A wait gets up to a half longer by chance, so that not all accounts deliver at once', async () => {
  const { storage, commit } = openAccount(0.5);
  for (const _ of [1, 2]) await commit();
  // One alarm is enough.
  expect(storage.alarms).toEqual([START + 2_500]);
});

it.each([
  ['500 events', Array<number>(1_200).fill(0), [500, 500, 200]],
  ['4,000,000 bytes, and at least one event', [5_000_000, 1_900_000, 1_900_000], [1, 2]],
])('A delivery brings events of at most %s, in order, each once', async (_, sizes, parts) => {
  const events = sizes.map(eventOf);
  const { deliveries, commit, outbox } = openAccount();
  await commit('customers', { events });
  expect(await outbox.deliver()).toBe(true);
  expect(deliveries.map(({ events }) => events.length)).toEqual(parts);
  const numbers = deliveries.flatMap(({ events }) => events.map(({ number }) => number));
  expect(numbers).toEqual(events.map((_, i) => i + 1));
});

it('A delivery brings the texts for the search after a change of a business, and again after a failure', async () => {
  const { deliveries, directory, commit, outbox } = openAccount();
  const deliver = async (collection: StoredRow['collection'], isDown = false) => {
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
});

it('A delivery brings texts for the search of at most 8,000,000 bytes', async () => {
  const { deliveries, commit, outbox } = openAccount();
  const body = JSON.stringify({ note: 'x'.repeat(1_999_980) });
  for (let i = 0; i < 5; i++) await commit('businesses', { body });
  await outbox.deliver();
  expect(deliveries.at(-1)?.searchTexts).toHaveLength(4);
});

it('An outbox that is loaded again sets an alarm if there is none, and only if something is left to deliver', async () => {
  const { storage, outbox, directory, commit } = openAccount();
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
