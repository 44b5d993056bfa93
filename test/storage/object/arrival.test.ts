// An account on its way into its object, and the schema of objects, over SQLite in this process.

import { beforeEach, describe, expect, it } from 'vitest';
import { AccountDigest, type DumpedRow } from '../../../src/storage/dump/dumped-rows.js';
import {
  appendRows,
  arrivalUnderWay,
  arrivedSoFar,
  beginArrival,
  endArrival,
  rowsAfter,
  storedContents,
} from '../../../src/storage/object/arrival.js';
import {
  migrate,
  SCHEMA_STEPS,
  schemaVersion,
} from '../../../src/storage/object/object-storage.js';
import { openObjectStorage, type TestedStorage } from '../../support/object-storage.js';

const BEGUN = { owner: 'amina', load: 'a-dump' };

let storage: TestedStorage;
beforeEach(() => {
  storage = openObjectStorage();
});

const select = (sql: string) => [...storage.sql.exec(sql)];
function customers(count: number, padding = 0): DumpedRow[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `CUS-${String(i + 1).padStart(4, '0')}`;
    const body = JSON.stringify({ id, owner_sub: 'amina', name: 'x'.repeat(padding) });
    return ['customers', id, body, 1_000 + i, 2_000 + i];
  });
}

describe('An arrival', () => {
  it('is under way from its begin to its end, and leaves the rows of each whole piece', () => {
    expect(arrivalUnderWay(storage)).toBeUndefined();
    beginArrival(storage, BEGUN);
    expect(arrivalUnderWay(storage)).toMatchObject(BEGUN);
    const rows = customers(3);
    appendRows(storage, rows.slice(0, 2));
    appendRows(storage, rows.slice(2));
    const bytes = rows.reduce((sum, [, , body]) => sum + body.length, 0);
    expect(arrivedSoFar(storage)).toMatchObject({ records: 3, bytes });
    // All rows of a piece or none.
    expect(() => appendRows(storage, [...customers(4).slice(3), ...rows])).toThrow('UNIQUE');
    endArrival(storage);
    expect(arrivalUnderWay(storage)).toBeUndefined();
    expect(rowsAfter(storage, 0).rows).toEqual(rows);
    expect(schemaVersion(storage, 'records')).toBe(SCHEMA_STEPS.length);
  });
});

describe('Stored rows', () => {
  function store(rows: readonly DumpedRow[]): void {
    beginArrival(storage, BEGUN);
    appendRows(storage, rows);
  }

  it('are read in pieces, of which the last one says so', () => {
    const rows = customers(2_000);
    store(rows);
    const first = { rows: rows.slice(0, 1_000), last: 1_000, isLast: false };
    expect(rowsAfter(storage, 0)).toEqual(first);
    expect(rowsAfter(storage, 1_000)).toMatchObject({ last: 2_000, isLast: true });
    expect(rowsAfter(storage, 2_000)).toEqual({ rows: [], last: 2_000, isLast: true });
  });

  it('that are long are in a piece of their own', () => {
    store(customers(3, 600_000));
    expect(rowsAfter(storage, 0)).toMatchObject({ last: 1, isLast: false });
    expect(rowsAfter(storage, 2)).toMatchObject({ last: 3, isLast: true });
  });

  it('have the digest that they were sent with, whichever piece they came in', async () => {
    const rows = customers(1_500);
    store(rows);
    const digest = new AccountDigest();
    for (const row of rows) await digest.add(row);
    expect(await storedContents(storage)).toEqual(await digest.contents());
  });
});

describe('The schema of an object', () => {
  it('has no version before the first write, and the first one without a number', () => {
    expect(schemaVersion(storage, 'records')).toBe(0);
    for (const statement of SCHEMA_STEPS[0] ?? []) storage.sql.exec(statement);
    storage.sql.exec("insert into audit_events values (1, 'old')");
    expect(schemaVersion(storage, 'records')).toBe(1);
    migrate(storage, SCHEMA_STEPS, 1);
    expect(schemaVersion(storage, 'records')).toBe(2);
    expect(select('select event, epoch from audit_events')).toEqual([{ event: 'old', epoch: '' }]);
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
