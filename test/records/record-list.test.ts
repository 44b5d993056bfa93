// A list in chunks does what a plain array does, and its snapshots never change.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RecordKey } from '../../src/core/domain/identifier.js';
import {
  CHUNK_RECORDS,
  type ListSnapshot,
  type MemoryRecord,
  RecordList,
} from '../../src/core/records/record-list.js';

function recordOf(position: number, text = 'x', key: RecordKey = keysInOrder(position)) {
  return { position, key, text, status: undefined };
}

/** The service's own records, with a gap between two. */
function keysInOrder(position: number): RecordKey {
  return 2 * position;
}

/** Rows that another program wrote: swapped pairs, and keys that are not numbers. */
function keysInDisorder(position: number): RecordKey {
  return position % 7 === 0 ? `A-${position}` : 2 * (position ^ 1);
}

function listOf(count: number): RecordList {
  const list = new RecordList();
  for (let position = 1; position <= count; position++) list.add(recordOf(position));
  return list;
}

const flat = (snapshot: ListSnapshot) => snapshot.flat();

it('A list behaves like an array under any changes, and keeps every snapshot unchanged', () => {
  const place = fc.nat(2_000);
  const change = fc.oneof(
    fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 200 }) }),
    fc.record({ do: fc.constant('replace' as const), at: place }),
    fc.record({ do: fc.constant('remove' as const), at: place, count: fc.nat(200) }),
    fc.record({ do: fc.constant('snapshot' as const) }),
  );
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      place,
      fc.nat(300),
      fc.boolean(),
      (steps, first, count, isInOrder) => {
        const keyOf = isInOrder ? keysInOrder : keysInDisorder;
        const list = new RecordList();
        let model: MemoryRecord[] = [];
        let position = 0;
        const taken: [ListSnapshot, MemoryRecord[]][] = [];
        for (const step of steps) {
          if (step.do === 'add') {
            for (let i = 0; i < step.count; i++) {
              const record = recordOf(++position, 'x', keyOf(position));
              list.add(record);
              model.push(record);
            }
          } else if (step.do === 'replace') {
            const index = step.at % Math.max(model.length, 1);
            const before = model[index];
            if (before === undefined) continue;
            const after = recordOf(before.position, 'changed', before.key);
            list.replace(after);
            model = model.with(index, after);
          } else if (step.do === 'remove') {
            for (let i = 0; i < step.count; i++) {
              const record = model[step.at % Math.max(model.length, 1)];
              if (record === undefined) break;
              list.remove(record);
              model = model.filter((other) => other !== record);
            }
          } else {
            taken.push([list.snapshot(), [...model]]);
          }
        }
        taken.push([list.snapshot(), model]);
        for (const [snapshot, records] of taken) {
          expect(flat(snapshot)).toEqual(records);
          expect(snapshot.every((chunk) => chunk.length > 0)).toBe(true);
        }
        expect(list.page(first, count)).toEqual(model.toReversed().slice(first, first + count));
        const there = new Map(model.map((record) => [record.key, record]));
        for (let at = 0; at <= position + 1; at++) {
          for (const key of [keyOf(at), 2 * at + 1]) expect(list.get(key)).toBe(there.get(key));
        }
      },
    ),
    { numRuns: 200 },
  );
});

it('A snapshot after a change shares all chunks but the changed one', () => {
  const list = listOf(200_000);
  const before = list.snapshot();
  list.replace(recordOf(100_000, 'changed'));
  const after = list.snapshot();
  const shared = new Set(before);
  expect(after.filter((chunk) => !shared.has(chunk))).toHaveLength(1);
  expect(after.length).toBe(Math.ceil(200_000 / CHUNK_RECORDS));
});

it('An error names the position of a record that is not in the list', () => {
  expect(() => listOf(3).remove(recordOf(9))).toThrow('no record at position 9');
});
