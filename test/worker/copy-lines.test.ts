// The lines of a copy: a record and an audit event come back from them character by
// character, and a stream is cut into them wherever its bytes are cut on the way.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventOfLine,
  isCopyName,
  lineOfEvent,
  lineOfRow,
  rowOfLine,
} from '../../src/hosts/workers/copies/copy-format.js';
import { linesOf } from '../../src/hosts/workers/copies/lines.js';
import type { MovedRow } from '../../src/storage/move/moved-rows.js';

const MARKS = ',"record":{} ,"text":"" ,"event":[';

describe('A line of a copy', () => {
  it.each([
    ['an ordinary record', '{"id":"CUS-0001","name":"Ñandú 💇"}'],
    ['spaces and numbers as they were written', '{ "price" : 1.50, "big":1e400 }'],
    ['properties that look like parts of a line', '{"record":{"text":1},"text":"}","event":0}'],
    ['a text that looks like parts of a line', JSON.stringify({ note: MARKS })],
    ['a line break between properties', '{"a":1,\n"b":2}'],
    ['a carriage return between properties', '{"a":1,\r"text":"}"}'],
  ])('brings %s back', (_, body) => {
    const row: MovedRow = ['customers', `CUS-0001${MARKS}`, body, 1_767_225_600_000, 1];
    const line = lineOfRow(row);
    expect(line).not.toMatch(/[\n\r]/);
    expect(rowOfLine(line)).toEqual(row);
  });

  it('shows the facts of a record, and the record itself, to any reader of JSON', () => {
    const row: MovedRow = ['orders', 'ORD-0001', '{"id":"ORD-0001","amount":1}', 5, 7];
    const facts = { collection: 'orders', id: 'ORD-0001', created_at: 5, updated_at: 7 };
    const record = { id: 'ORD-0001', amount: 1 };
    expect(JSON.parse(lineOfRow(row))).toEqual({ ...facts, record });
  });

  it('brings an audit event and its name back', () => {
    const event = JSON.stringify({ action: 'update', changed: [MARKS] });
    for (const name of [JSON.stringify([`owner${MARKS}`, 'epoch', 1]), null]) {
      const line = lineOfEvent({ name, event });
      expect(eventOfLine(line)).toEqual({ name, event });
      expect(JSON.parse(line)).toEqual({
        name: JSON.parse(name ?? 'null'),
        event: JSON.parse(event),
      });
    }
  });

  it.each(['', '{}', '{"record":{}}'])('is none where it has another form: %j', (line) => {
    expect(() => rowOfLine(line)).toThrow('is not of its form');
    expect(() => eventOfLine(line)).toThrow('is not of its form');
  });
});

describe('A stream of lines', () => {
  async function cut(bytes: Uint8Array, ends: readonly number[]): Promise<string[]> {
    const stream = (async function* () {
      let start = 0;
      for (const end of [...ends.toSorted((a, b) => a - b), bytes.length]) {
        yield bytes.subarray(start, end);
        start = end;
      }
    })();
    const lines = [];
    for await (const line of linesOf(stream)) lines.push(line);
    return lines;
  }

  it('has the same lines wherever its bytes are cut', async () => {
    const lines = ['\uFEFF{"a":"é💇"}', '', '\uFEFF{}', 'x'.repeat(20)];
    const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
    const ends = fc.array(fc.integer({ min: 0, max: bytes.length }));
    await fc.assert(
      fc.asyncProperty(ends, async (given) => {
        expect(await cut(bytes, given)).toEqual(lines);
      }),
    );
  });

  it('has a last line without a line break', async () => {
    expect(await cut(new TextEncoder().encode('a\nb'), [])).toEqual(['a', 'b']);
  });

  it.each([
    ['in the middle', [0xff, 0x0a]],
    ['at its end', [0x61, 0xc3]],
  ])('is refused where bytes %s are no UTF-8', async (_, bytes) => {
    await expect(cut(new Uint8Array(bytes), [])).rejects.toThrow(TypeError);
  });
});

it.each([
  ['2026-01-01T00-00-00.000Z', true],
  ['2026-01-01T00:00:00.000Z', false],
  ['x2026-01-01T00-00-00.000Z', false],
  ['2026-01-01T00-00-00.000Z/', false],
])('The name %s is one of a copy: %s', (name, wanted) => {
  expect(isCopyName(name)).toBe(wanted);
});
