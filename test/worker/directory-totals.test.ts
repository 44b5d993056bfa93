// The sums over all accounts: after any deliveries and erasures the same as if all
// accounts were added up.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../src/core/domain/collection-name.js';
import type { Holding } from '../../src/hosts/workers/account-call.js';
import * as sql from '../../src/hosts/workers/directory-schema.js';
import { DirectoryTotals } from '../../src/hosts/workers/directory-totals.js';
import { migrate } from '../../src/storage/object/schema-version.js';
import { openObjectStorage } from '../support/object-storage.js';

/** `own`: how many of the rows are the account's own. */
interface Held extends Holding {
  readonly own: number;
}

const NOTHING: Held = { own: 0, records: 0, payloadBytes: 0, updatedAt: 0, created: {} };
const HOURS = ['490000', '490010', '490020'];

/** Undefined: the account is forgotten. */
type Delivery = readonly [owner: string, held: Partial<Record<CollectionName, Held>> | undefined];

function openDirectory() {
  const storage = openObjectStorage();
  storage.transactionSync(() => migrate(storage, sql.SCHEMA_STEPS, 0));
  const statements: string[] = [];
  const totals = new DirectoryTotals({
    exec: (statement, ...bindings) => {
      statements.push(statement);
      return storage.sql.exec(statement, ...bindings);
    },
  });
  return {
    /** The statements since the last call that change rows: the platform bills each row that is written. */
    changes: () => statements.splice(0).filter((statement) => statement !== sql.FIND_HOLDINGS),
    /** What is kept of each account: the operator's page of accounts is made of it. */
    kept: () => [...storage.sql.exec('select * from holdings')].map((row) => Object.values(row)),
    take([owner, held]: Delivery): void {
      if (held === undefined) totals.remove(owner);
      else {
        const holdings = byCollection((name) => held[name] ?? NOTHING);
        const own = byCollection((name) => holdings[name].own);
        totals.replace(owner, own, holdings);
      }
    },
    /** As the usage view reads them. */
    sums() {
      for (const _ of storage.sql.exec(sql.FIND_LATEST));
      const rows = [...storage.sql.exec(sql.READ_TOTALS)];
      // Hours after the second one, and after the first one twice.
      const since = [Number(HOURS[1]), Number(HOURS[0]), Number(HOURS[0])];
      const created = [...storage.sql.exec(sql.SUM_CREATED, ...since)];
      return rows.map((row) => {
        const lately = created.find(({ collection }) => collection === row['collection']);
        return [...Object.values(row), lately?.['after_first'] ?? 0, lately?.['after_second'] ?? 0];
      });
    },
  };
}

/** The same from the latest delivery of each account. */
function added(deliveries: readonly Delivery[]) {
  const latest = new Map(deliveries.map(([owner, held]) => [owner, held ?? {}]));
  const of = (name: CollectionName) => [...latest.values()].map((held) => held[name] ?? NOTHING);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);
  return COLLECTION_NAMES.toSorted().flatMap((name) => {
    const held = of(name).filter(({ records }) => records > 0);
    const records = sum(held.map((each) => each.records));
    const createdIn = (hours: readonly string[]) =>
      sum(held.flatMap(({ created }) => hours.map((hour) => created[hour] ?? 0)));
    const bytes = sum(held.map((each) => each.payloadBytes));
    const updatedAt = Math.max(...held.map((each) => each.updatedAt));
    const lately = [createdIn(HOURS.slice(2)), createdIn(HOURS.slice(1))];
    return records === 0 ? [] : [[name, records, bytes, updatedAt, ...lately]];
  });
}

/** The latest delivery of each account, as its rows. */
function latestOf(deliveries: readonly Delivery[]) {
  const latest = new Map(deliveries.map(([owner, held]) => [owner, held ?? {}]));
  return [...latest.keys()].toSorted().flatMap((owner) =>
    COLLECTION_NAMES.toSorted().flatMap((name) => {
      const { own, records, payloadBytes, updatedAt, created } =
        latest.get(owner)?.[name] ?? NOTHING;
      const row = [owner, name, own, records, payloadBytes, updatedAt, JSON.stringify(created)];
      return records === 0 ? [] : [row];
    }),
  );
}

const holding = fc
  .record({
    // Few values, so that two deliveries often differ in one of them alone.
    own: fc.integer({ min: 0, max: 1 }),
    records: fc.integer({ min: 0, max: 2 }),
    payloadBytes: fc.integer({ min: 1, max: 2 }),
    updatedAt: fc.integer({ min: 1, max: 2 }),
    created: fc.constantFrom({}, ...HOURS.map((hour) => ({ [hour]: 1 }))),
  })
  .map((held): Held => (held.records === 0 ? NOTHING : held));
const holdings = fc.record({ customers: holding, orders: holding });
const delivery = fc.tuple(
  fc.constantFrom('neema', 'juma', 'asha'),
  fc.option(holdings, { nil: undefined, freq: 5 }),
);

it('The totals of the directory equal the sums over all accounts', () => {
  fc.assert(
    fc.property(fc.array(delivery, { minLength: 1, maxLength: 20 }), (deliveries) => {
      const directory = openDirectory();
      for (const [i, each] of deliveries.entries()) {
        directory.take(each);
        expect(directory.sums()).toEqual(added(deliveries.slice(0, i + 1)));
        expect(directory.kept()).toEqual(latestOf(deliveries.slice(0, i + 1)));
      }
    }),
  );
});

it('A delivery changes no row of a collection that is as it was', () => {
  const { take, changes } = openDirectory();
  const [hour = '', later = ''] = HOURS;
  const orders = { own: 1, records: 1, payloadBytes: 5, updatedAt: 1, created: { [hour]: 1 } };
  const customers = { ...orders, payloadBytes: 9 };
  take(['neema', { orders, customers }]);
  expect(changes()).toHaveLength(6);
  take(['neema', { orders, customers }]);
  expect(changes()).toEqual([]);
  take(['neema', { orders: { ...orders, own: 0 }, customers }]);
  expect(changes()).toEqual([sql.PUT_HOLDING, sql.ADD_TOTALS]);
  const more = { ...customers, records: 2, created: { [hour]: 1, [later]: 1 } };
  take(['neema', { orders: { ...orders, own: 0 }, customers: more }]);
  expect(changes()).toEqual([sql.PUT_HOLDING, sql.ADD_TOTALS, sql.ADD_HOUR]);
  take(['neema', { customers: more }]);
  expect(changes()).toEqual([sql.REMOVE_HOLDING, sql.ADD_TOTALS, sql.ADD_HOUR]);
});
