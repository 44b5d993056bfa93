// How much memory an object's records may take, over SQLite in this process.

import { expect, it } from 'vitest';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';
import { memoryOf } from '../../../src/storage/object/object-storage.js';
import { keptLog } from '../../support/kept-log.js';
import { changes, loaded, row } from '../storage-conformance.js';
import { openObjectStorage } from './object-storage.js';

async function openLimited(memoryMaxBytes: number, storage = openObjectStorage()) {
  const log = keptLog();
  const options = { storage, log, seedsSamples: false, memoryMaxBytes };
  const limited = new ObjectRecordStorage(options);
  await loaded(limited);
  return { limited, log, storage };
}

const bodyOf = (characters: number) => JSON.stringify({ x: 'x'.repeat(characters - 8) });
const puts = (position: number, body: string) => changes({ puts: [row(position, body)] });

it('Memory is counted as the engine keeps it: two bytes a character with one beyond Latin-1', () => {
  expect([memoryOf('abc'), memoryOf('né!'), memoryOf('a€c')]).toEqual([103, 103, 106]);
});

it('A full object refuses growth as a full disk does, and takes what shrinks and what is deleted', async () => {
  const { limited, log, storage } = await openLimited(3_000);
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

  const next = await openLimited(2_000, storage);
  expect(next.log.lines).toMatchObject([{ event: 'object_nearly_full' }]);
  expect((await next.limited.commit(puts(2, bodyOf(1_400)))).status).toBe('committed');
  expect((await next.limited.commit(puts(2, bodyOf(1_401)))).status).toBe('notStored');
  expect((await next.limited.commit(changes({ removals: [1] }))).status).toBe('committed');
  expect((await next.limited.commit(puts(2, bodyOf(1_401)))).status).toBe('committed');
});
