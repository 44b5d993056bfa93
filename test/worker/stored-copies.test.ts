// The copies in a real bucket: how they are listed, and what is removed of them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, MANIFEST } from '../../src/hosts/workers/copies/copy-format.js';
import { newRound } from '../../src/hosts/workers/copies/copy-round.js';
import { StoredCopies } from '../../src/hosts/workers/copies/stored-copies.js';
import { type Bucket, type OpenBucket, openBucket } from './open-bucket.js';

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

let opened: OpenBucket;
let bucket: Bucket;

beforeAll(async () => {
  opened = await openBucket();
  bucket = opened.bucket;
});
afterAll(() => opened.close());

describe('The copies in a bucket', () => {
  const emptied = async () => {
    const { objects } = await bucket.list();
    await bucket.delete(objects.map(({ key }) => key));
  };
  const putCopy = async (at: number, ...names: string[]) => {
    const { copy } = newRound(at);
    for (const name of names) await bucket.put(keyOf(copy, name), JSON.stringify({ copy }));
    return copy;
  };
  const stored = async () => (await bucket.list()).objects.map(({ key }) => key).sort();
  /** Lists at most two objects, or two copies, at a time, and does not go on for ever. */
  const slow = () => {
    let calls = 0;
    const list = (options: object) => {
      if (++calls > 100) throw new Error('the list does not end');
      return bucket.list({ ...options, limit: 2 });
    };
    return new Proxy(bucket, {
      get: (target, name) => (name === 'list' ? list : Reflect.get(target, name).bind(target)),
    });
  };

  it('are listed newest first, however many there are, and nothing else', async () => {
    await emptied();
    const copies = [];
    for (const day of [3, 1, 5, 2, 4]) copies.push(await putCopy(START + day * DAY_MS, MANIFEST));
    await putCopy(START, 'accounts-1.ndjson');
    await bucket.put(`copies/other/${MANIFEST}`, '{}');
    await bucket.put('round.json', '{}');
    const storedCopies = new StoredCopies(slow());
    const whole = (await storedCopies.whole()).map(({ copy }) => copy);
    expect(whole).toEqual(copies.toSorted().reverse());
    expect(await storedCopies.manifest('../round.json')).toBeUndefined();
    expect(await storedCopies.manifest('other')).toBeUndefined();
  });

  it('are removed but for the newest, with all their files and those of copies that were not finished', async () => {
    await emptied();
    const at = (day: number) => START + day * DAY_MS;
    await putCopy(at(1), 'a', 'b', 'c', MANIFEST);
    const incomplete = await putCopy(at(2), 'a', 'incomplete.json');
    const second = await putCopy(at(3), 'a', MANIFEST);
    const broken = await putCopy(at(4), 'a');
    const newest = await putCopy(at(5), 'a', MANIFEST);
    const underWay = await putCopy(at(6), 'a');
    const other = await bucket.put(`copies/other/${MANIFEST}`, '{}');
    expect(await new StoredCopies(slow()).removeOld(2)).toEqual([
      broken,
      incomplete,
      newRound(at(1)).copy,
    ]);
    expect(await stored()).toEqual(
      [
        keyOf(second, 'a'),
        keyOf(second, MANIFEST),
        keyOf(newest, 'a'),
        keyOf(newest, MANIFEST),
        keyOf(underWay, 'a'),
        other?.key,
      ].sort(),
    );
  });

  it('are all kept where none is whole', async () => {
    await emptied();
    await putCopy(START, 'a');
    expect(await new StoredCopies(bucket).removeOld(1)).toEqual([]);
    expect(await stored()).toHaveLength(1);
  });

  it('lose the manifest first when they are removed', async () => {
    await emptied();
    const old = await putCopy(START, 'a', MANIFEST);
    await putCopy(START + DAY_MS, MANIFEST);
    const deleted: string[][] = [];
    const watched = new Proxy(bucket, {
      get: (target, name) =>
        name === 'delete'
          ? (keys: string[]) => {
              deleted.push(keys);
              return target.delete(keys);
            }
          : Reflect.get(target, name).bind(target),
    });
    await new StoredCopies(watched).removeOld(1);
    expect(deleted).toEqual([
      [keyOf(old, MANIFEST), keyOf(old, 'incomplete.json')],
      [keyOf(old, 'a')],
    ]);
  });
});
