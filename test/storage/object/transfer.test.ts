// The dump that an object gives and takes, over SQLite in this process.

import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.js';
import type { DumpLine, RecordLine } from '../../../src/storage/dump/dump-lines.js';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';
import { type ObjectStorage, prepareSchema } from '../../../src/storage/object/object-storage.js';
import { changes, loaded, row } from '../storage-conformance.js';
import { openObjectStorage } from './object-storage.js';

let storage: ObjectStorage;
let records: ObjectRecordStorage;
const open = (limit: object = {}) =>
  new ObjectRecordStorage({
    ...{ storage, log: silentLog, seedsSamples: true },
    ...limit,
  });
beforeEach(() => {
  storage = openObjectStorage();
  records = open();
});

function customers(count: number, padding = 0): RecordLine[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `CUS-${String(i + 1).padStart(4, '0')}`;
    const body = JSON.stringify({ id, owner_sub: 'amina', name: 'x'.repeat(padding) });
    const times = { created_at: 1_000 + i, updated_at: 2_000 + i };
    return { collection: 'customers', id, owner: 'amina', ...times, body };
  });
}

const END: DumpLine[] = [{ id: 7, event: '{}' }, { highest: { customers: 9 } }];

const load = (lines: readonly DumpLine[], into = records) => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return into.loadDump(new Uint8Array(gzipSync(text)).buffer);
};

const dumped = () => [...records.dumpText()].join('').trimEnd().split('\n');

describe('A load', () => {
  it('takes the place of the sample rows, and a dump gives the same lines in the same order', async () => {
    const lines = [...customers(2_000, 100), ...END];
    await load(lines);
    expect(dumped()).toEqual(lines.map((line) => JSON.stringify(line)));
    expect(await records.sequences()).toEqual({ customers: 9 });
  });

  it.each([
    ['a text that is no record', { body: '[]' }, {}, 'customers CUS-0001'],
    ['another owner in its text', { owner: 'neema' }, {}, 'belongs to another account'],
    ['another id in its text', { id: 'CUS-9' }, {}, 'has another id'],
    ['no room in memory', {}, { memoryMaxBytes: 1_000 }, 'use Postgres'],
  ])('is refused because of %s, and changes nothing', async (_, wrong, room, reason) => {
    const before = await loaded(records);
    const [first, ...others] = customers(3, 300);
    const lines = [...others, { ...first, ...wrong } as RecordLine, ...END];
    await expect(load(lines, open(room))).rejects.toThrow(reason);
    expect(await loaded(records)).toEqual(before);
  });

  it('is refused by a service that holds records', async () => {
    await records.commit(changes({ puts: [row(100)] }));
    await expect(load(customers(1))).rejects.toThrow('the service holds records');
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
