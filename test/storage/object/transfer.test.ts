// The pieces of a dump that an object gives and takes, over SQLite in this process.

import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.js';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';
import { type ObjectStorage, prepareSchema } from '../../../src/storage/object/object-storage.js';
import {
  finishLoad,
  type LoadPiece,
  rowsAfter,
  storedSequences,
  takePiece,
} from '../../../src/storage/object/transfer.js';
import { changes, loaded, row } from '../storage-conformance.js';
import { openObjectStorage } from './object-storage.js';

let storage: ObjectStorage;
let records: ObjectRecordStorage;
beforeEach(() => {
  storage = openObjectStorage();
  records = new ObjectRecordStorage({
    storage,
    log: silentLog,
    seedsSamples: true,
    pause: async () => {},
  });
});

function customers(count: number, padding = 0): LoadPiece['records'] {
  return Array.from({ length: count }, (_, i) => {
    const id = `CUS-${String(i + 1).padStart(4, '0')}`;
    const body = JSON.stringify({ id, owner_sub: 'amina', name: 'x'.repeat(padding) });
    const times = { created_at: 1_000 + i, updated_at: 2_000 + i };
    return { position: i + 1, collection: 'customers', id, owner: 'amina', body, ...times };
  });
}

const EVENT = { id: 7, owner: 'amina', event: '{}' };
const RUN = 'load-1';
const highest = { customers: 9 };
const take = (records: LoadPiece['records'], events: LoadPiece['events'] = []) =>
  takePiece(storage, RUN, { records, events });

describe('A load', () => {
  it('takes the place of the sample rows at its end, whichever pieces arrived twice', async () => {
    const rows = customers(3);
    takePiece(storage, 'interrupted', { records: customers(9), events: [] });
    take(rows.slice(0, 2));
    take(rows.slice(1), [EVENT]);
    take(rows.slice(1), [EVENT]);
    finishLoad(storage, RUN, highest);
    expect((await loaded(records)).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(rowsAfter(storage, 'audit_events', 0).rows).toEqual([{ id: 7, event: '{}' }]);
    expect(storedSequences(storage)).toEqual(highest);
    expect(() => finishLoad(storage, RUN, highest)).toThrow('another load has begun');
  });

  it('is refused with a row that would keep the service from starting', () => {
    const rows = customers(1);
    const [first] = rows as [(typeof rows)[0]];
    for (const wrong of [{ body: '[]' }, { owner: 'neema' }, { id: 'CUS-9' }]) {
      expect(() => take([{ ...first, ...wrong }])).toThrow('the record customers');
    }
  });

  it('is refused on its first piece by a service that holds records', async () => {
    await records.commit(changes({ puts: [row(100)] }));
    expect(() => take(customers(1))).toThrow('the service holds records');
  });

  it('is refused at its end if its records would not fit into memory', () => {
    take(customers(3, 600));
    expect(() => finishLoad(storage, RUN, highest, 2_000)).toThrow('use Postgres');
  });
});

describe('Stored rows', () => {
  it('are read in pieces by rows and by characters, the last of which says so', () => {
    take(customers(2_000));
    finishLoad(storage, RUN, highest);
    const first = rowsAfter(storage, 'records', 0);
    expect([first.rows.length, first.isLast]).toEqual([1_000, false]);
    expect(rowsAfter(storage, 'records', 1_000).rows).toHaveLength(1_000);
    expect(rowsAfter(storage, 'records', 2_000)).toEqual({ rows: [], isLast: true });
  });

  it('that are long share no piece', () => {
    take(customers(3, 600_000));
    finishLoad(storage, RUN, highest);
    expect(rowsAfter(storage, 'records', 0).rows).toHaveLength(2);
    expect(rowsAfter(storage, 'records', 2)).toMatchObject({ isLast: true });
  });
});

describe('The schema of an object', () => {
  it('is made once, and a newer one is refused', () => {
    const empty = openObjectStorage();
    expect([prepareSchema(empty), prepareSchema(empty)]).toEqual([true, false]);
    void empty.sql.exec('update schema_version set version = 99');
    expect(() => prepareSchema(empty)).toThrow(
      "the object's schema has version 99, this release knows 1: deploy the newer release again",
    );
  });
});
