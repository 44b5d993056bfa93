// What fits into a delivery to the directory, and that its cursors are read to their end.
// How often an object delivers is in outbox.test.ts.

import { expect, it } from 'vitest';
import { eventsAfter, searchTexts } from '../../src/hosts/workers/delivery-parts.js';
import type { SqlRow } from '../../src/storage/object/object-storage.js';
import { SCHEMA_STEPS } from '../../src/storage/object/object-storage.js';
import { openObjectStorage } from '../support/object-storage.js';

const LARGE_EVENT = JSON.stringify({ changed: Array(1_000).fill('n'.repeat(200)) });
const LARGE_PROFILE = JSON.stringify({ about: 'A'.repeat(1_900_000) });
const NEW_EVENT = 'insert into audit_events (id, event, epoch) values (?1, ?2, ?3)';
const NEW_PROFILE = `
  insert into records (position, collection, id, body, created_at, updated_at)
  values (?1, 'businesses', ?2, ?3, 0, 0)`;

it('A part of a delivery has as many events as fit, at least one, and leaves no cursor open', () => {
  const { sql, open } = openSql();
  for (let number = 1; number <= 40; number++) sql.exec(NEW_EVENT, number, LARGE_EVENT, 'e');
  const numbers = eventsAfter(sql, 0).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 19 }, (_, index) => index + 1));
  expect(numbers.length * LARGE_EVENT.length).toBeLessThanOrEqual(4_000_000);
  expect((numbers.length + 1) * LARGE_EVENT.length).toBeGreaterThan(4_000_000);

  sql.exec('update audit_events set event = ?1', JSON.stringify('e'.repeat(4_100_000)));
  expect(eventsAfter(sql, 0).map(({ number }) => number)).toEqual([1]);
  expect(open()).toEqual([]);
});

it('A part of a delivery has as many search texts as fit, and leaves no cursor open', () => {
  const { sql, open } = openSql();
  for (let position = 1; position <= 6; position++) {
    sql.exec(NEW_PROFILE, position, `BIZ-000${position}`, LARGE_PROFILE);
  }
  const texts = searchTexts(sql);
  expect(texts).toHaveLength(4);
  expect(texts[0]).toBe(LARGE_PROFILE.toLowerCase());
  expect(open()).toEqual([]);
});

/** `open`: queries of which the last row was not read. The platform keeps their cursors until they are collected. */
function openSql() {
  const { sql } = openObjectStorage();
  for (const statement of SCHEMA_STEPS.flat()) sql.exec(statement);
  const cursors: { readonly query: string; left: number }[] = [];
  const exec = <Row extends SqlRow>(query: string, ...values: (string | number)[]) => {
    const rows = [...sql.exec<Row>(query, ...values)];
    const cursor = { query, left: rows.length };
    cursors.push(cursor);
    return {
      *[Symbol.iterator]() {
        for (const row of rows) {
          cursor.left--;
          yield row;
        }
      },
    };
  };
  const open = () => cursors.filter(({ left }) => left > 0).map(({ query }) => query);
  return { sql: { exec } as typeof sql, open };
}
