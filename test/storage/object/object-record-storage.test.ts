// The storage of an object over SQLite in this process: the ports' promises, how much memory its records
// may take, and what it refuses to load. The contract suite runs it in the platform's runtime.

import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { changes, loaded, row } from '../../../src/storage/conformance/check.js';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';
import { memoryOf } from '../../../src/storage/object/object-storage.js';
import { memoryLog } from '../../support/memory-log.js';
import { conformanceOf } from '../storage-conformance.js';
import { openObjectStorage } from './object-storage.js';

function open(memoryMaxBytes = 1_000_000_000, storage = openObjectStorage()) {
  const log = memoryLog();
  const pause = () => new Promise<void>((resume) => setImmediate(resume));
  const options = { storage, log, seedsSamples: false, pause, memoryMaxBytes };
  return { records: new ObjectRecordStorage(options), log, storage };
}

async function makeHome() {
  const storage = openObjectStorage();
  const refusal = "begin select raise(abort, 'injected'); end";
  return {
    open: async () => open(undefined, storage).records,
    refuseEvents: async () =>
      void storage.sql.exec(`create trigger t before insert on audit_events ${refusal}`),
    remove: async () => {},
  };
}

// The platform runs one object per name, and ends the storage of an earlier one.
conformanceOf('durable object', makeHome, { opensTwice: false });

const bodyOf = (characters: number) => JSON.stringify({ x: 'x'.repeat(characters - 8) });
const puts = (position: number, body: string) => changes({ puts: [row(position, body)] });

it('Memory is counted as the engine uses it: two bytes per character if one is outside Latin-1', () => {
  expect([memoryOf('abc'), memoryOf('né!'), memoryOf('a€c')]).toEqual([103, 103, 106]);
});

it('A full object refuses growth like a full disk, and accepts deletions and changes that shrink', async () => {
  const { records: limited, log, storage } = open(3_000);
  expect((await limited.commit(puts(1, bodyOf(1_000)))).status).toBe('committed');
  expect((await limited.commit(puts(2, bodyOf(1_000)))).status).toBe('committed');
  const refused = await limited.commit(puts(3, bodyOf(1_000)));
  expect(refused).toMatchObject({ status: 'notStored' });
  expect(String('error' in refused && refused.error)).toContain('use Postgres');
  expect((await limited.commit(puts(2, bodyOf(1_900)))).status).toBe('notStored');
  expect((await limited.commit(puts(2, bodyOf(900)))).status).toBe('committed');
  expect(log.lines).toEqual([]);
  expect((await limited.commit(puts(2, bodyOf(1_500)))).status).toBe('committed');
  expect(log.lines).toMatchObject([{ level: 'warn', event: 'object_nearly_full' }]);

  const next = open(2_000, storage);
  await loaded(next.records);
  expect(next.log.lines).toMatchObject([{ event: 'object_nearly_full' }]);
  expect((await next.records.commit(puts(2, bodyOf(1_400)))).status).toBe('committed');
  expect((await next.records.commit(puts(2, bodyOf(1_401)))).status).toBe('notStored');
  expect((await next.records.commit(changes({ removals: [1] }))).status).toBe('committed');
  expect((await next.records.commit(puts(2, bodyOf(1_401)))).status).toBe('committed');
});

it('Counts are a snapshot, although they are taken in steps: a commit waits for them', async () => {
  const { records } = open();
  const rows = Array.from({ length: 6_000 }, (_, i) => row(i + 1, '{}'));
  await records.commit(changes({ puts: rows }));
  const count = async () => (await records.usage([0, 0, 0])).collections[0]?.records;
  const removal = changes({ removals: [6_000] });
  expect(await Promise.all([count(), records.commit(removal), count()])).toEqual([
    6_000,
    { status: 'committed' },
    5_999,
  ]);
});

const BODY = JSON.stringify({ id: 'CUS-0001', owner_sub: 'amina' });
const TIMES = { created_at: 1, updated_at: 2 };
const LINE = { collection: 'customers', id: 'CUS-0001', owner: 'amina', ...TIMES, body: BODY };

it.each([
  ['a text that is not a record', { body: '[]' }, 'customers CUS-0001'],
  ['another owner in its text', { owner: 'neema' }, 'belongs to another account'],
  ['another id in its text', { id: 'CUS-9' }, 'has another id'],
  ['no room in memory', { body: BODY.padStart(1_000) }, 'use Postgres'],
])('A load is refused because of %s, and changes nothing', async (_, wrong, reason) => {
  const { records } = open(1_000);
  await records.commit(changes({ sequences: { orders: 9 } }));
  const lines = [{ id: 7, event: '{}' }, { highest: { orders: 10 } }, { ...LINE, ...wrong }];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const loading = records.loadDump(new Uint8Array(gzipSync(text)).buffer);
  await expect(loading).rejects.toThrow(reason);
  expect((await records.usage([0, 0, 0])).auditEventCount).toBe(0);
  expect(await records.sequences()).toEqual({ orders: 9 });
});
