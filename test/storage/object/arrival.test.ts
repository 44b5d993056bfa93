// An account on its way into its object, and the schema of objects: the parts, over
// SQLite in this process.

import { beforeEach, describe, expect, it } from 'vitest';
import { ContentsDigest, type MovedRow } from '../../../src/storage/move/moved-rows.js';
import { Arrival, rowsAfter, storedContents } from '../../../src/storage/object/arrival.js';
import { SCHEMA_STEPS } from '../../../src/storage/object/object-schema.js';
import { migrate, schemaVersion } from '../../../src/storage/object/schema-version.js';
import { customersOf } from '../../support/arriving-account.js';
import { openObjectStorage, type TestedStorage } from '../../support/object-storage.js';

const ANNOUNCED = { records: 3, bytes: 5, digest: 'd', sequences: { customers: 7, orders: 2 } };

let storage: TestedStorage;
let arrival: Arrival;

beforeEach(() => {
  storage = openObjectStorage();
  arrival = new Arrival(storage);
});

const select = (sql: string) => [...storage.sql.exec(sql)];

describe('An arrival', () => {
  it('is under way from its begin to its end, and leaves the rows and the highest numbers', () => {
    expect(arrival.underWay()).toBeUndefined();
    arrival.begin('amina', ANNOUNCED);
    expect(arrival.underWay()).toEqual({ owner: 'amina', announced: ANNOUNCED });
    expect(arrival.records).toBe(0);
    const rows = customersOf('amina', 3);
    arrival.append(rows.slice(0, 2));
    arrival.append(rows.slice(2));
    expect(arrival.records).toBe(3);
    arrival.end(ANNOUNCED);
    expect(arrival.underWay()).toBeUndefined();
    expect(select('select * from records').map(Object.values)).toEqual(
      rows.map((row, i) => [i + 1, ...row]),
    );
    expect(select('select * from sequences order by collection')).toEqual([
      { collection: 'customers', highest: 7 },
      { collection: 'orders', highest: 2 },
    ]);
    expect(schemaVersion(storage, 'records')).toBe(SCHEMA_STEPS.length);
  });

  it('takes all rows of a piece or none', () => {
    arrival.begin('amina', ANNOUNCED);
    const [first, second] = customersOf('amina', 2) as [MovedRow, MovedRow];
    arrival.append([first]);
    expect(() => arrival.append([second, first])).toThrow('UNIQUE');
    expect(arrival.records).toBe(1);
  });
});

describe('Stored rows', () => {
  function store(rows: readonly MovedRow[]): void {
    arrival.begin('amina', ANNOUNCED);
    arrival.append(rows);
  }

  it('are read in pieces, of which the last one says so', () => {
    const rows = customersOf('amina', 2_000);
    store(rows);
    const first = rowsAfter(storage, 0);
    expect(first).toEqual({ rows: rows.slice(0, 1_000), last: 1_000, isLast: false });
    expect(rowsAfter(storage, 999)).toMatchObject({ last: 1_999, isLast: false });
    expect(rowsAfter(storage, 1_000)).toEqual({
      rows: rows.slice(1_000),
      last: 2_000,
      isLast: true,
    });
    expect(rowsAfter(storage, 2_000)).toEqual({ rows: [], last: 2_000, isLast: true });
  });

  it('that are long go in a piece of their own', () => {
    store(customersOf('amina', 3, 600_000));
    expect(rowsAfter(storage, 0)).toMatchObject({ last: 1, isLast: false });
    expect(rowsAfter(storage, 2)).toMatchObject({ last: 3, isLast: true });
  });

  it('have the contents that they were announced with, whichever piece they came in', async () => {
    const rows = customersOf('amina', 1_500);
    store(rows);
    const digest = new ContentsDigest();
    for (const row of rows) await digest.add(row);
    expect(await storedContents(storage)).toEqual(await digest.contents());
  });
});

describe('The schema of an object', () => {
  it('has no version before the first write, and the first one without a number', () => {
    expect(schemaVersion(storage, 'records')).toBe(0);
    for (const statement of SCHEMA_STEPS[0] ?? []) storage.sql.exec(statement);
    expect(schemaVersion(storage, 'records')).toBe(1);
    migrate(storage, SCHEMA_STEPS, 1);
    expect(schemaVersion(storage, 'records')).toBe(2);
  });

  it('takes each step once', () => {
    migrate(storage, SCHEMA_STEPS, 0);
    migrate(storage, SCHEMA_STEPS, SCHEMA_STEPS.length);
    const more = [...SCHEMA_STEPS, ['create table later (a)']];
    migrate(storage, more, SCHEMA_STEPS.length);
    expect(schemaVersion(storage, 'records')).toBe(more.length);
    expect(select('select * from later')).toEqual([]);
    expect(() => migrate(storage, SCHEMA_STEPS, more.length)).toThrow(
      "the object's schema has version 3, this release knows 2: deploy the newer release again",
    );
  });
});
