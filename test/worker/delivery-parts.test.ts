// A delivery of the outbox over a database of its own: its sizes, and cursors that
// are read to their end. What arrives at the directory is in directory.test.ts.

import { expect, it } from 'vitest';
import { byCollection } from '../../src/domain/collection-name.js';
import { silentLog } from '../../src/log.js';
import { Connection } from '../../src/storage/file/connection.js';
import { SCHEMA_STEPS } from '../../src/storage/object/object-schema.js';
import type { ObjectStorage, SqlRow } from '../../src/storage/object/object-storage.js';
import { Outbox } from '../../src/worker/outbox.js';

const LARGE_EVENT = JSON.stringify({ changed: Array(1_000).fill('n'.repeat(200)) });
const LARGE_PROFILE = JSON.stringify({ about: 'A'.repeat(1_900_000) });

it('sends as many events as fit, at least one, and leaves no cursor open', () => {
  const { outbox, run, open } = openOutbox();
  for (let number = 1; number <= 40; number++) {
    run(
      'insert into audit_events (id, event, epoch) values (?1, ?2, ?3)',
      number,
      LARGE_EVENT,
      'e',
    );
  }
  outbox.load();
  const numbers = outbox.delivery()?.events.map(({ number }) => number) ?? [];
  expect(numbers).toEqual(Array.from({ length: 19 }, (_, index) => index + 1));
  expect(numbers.length * LARGE_EVENT.length).toBeLessThanOrEqual(4_000_000);
  expect((numbers.length + 1) * LARGE_EVENT.length).toBeGreaterThan(4_000_000);

  run('update audit_events set event = ?1', JSON.stringify('e'.repeat(4_100_000)));
  expect(outbox.delivery()?.events.map(({ number }) => number)).toEqual([1]);
  expect(open()).toEqual([]);
});

it('sends as many search texts as fit, and leaves no cursor open', async () => {
  const { outbox, run, open } = openOutbox();
  for (let position = 1; position <= 6; position++) {
    run(
      `insert into records (position, collection, id, body, created_at, updated_at)
       values (?1, 'businesses', ?2, ?3, 0, 0)`,
      position,
      `BIZ-000${position}`,
      LARGE_PROFILE,
    );
  }
  run('update outbox set revision = 1');
  outbox.load();
  await outbox.resume(byCollection((name) => (name === 'businesses' ? 6 : 0)));
  const texts = outbox.delivery()?.searchTexts ?? [];
  expect(texts).toHaveLength(4);
  expect(texts[0]).toBe(LARGE_PROFILE.toLowerCase());
  expect(open()).toEqual([]);
});

/** `open`: statements of which the last row was not read. The platform keeps these cursors until they are collected. */
function openOutbox() {
  const database = new Connection(':memory:');
  const cursors: { readonly query: string; left: number }[] = [];
  const run = (query: string, ...values: (string | number)[]) => database.rows(query, values);
  const exec = <Row extends SqlRow>(query: string, ...values: (string | number)[]) => {
    const rows = run(query, ...values) as unknown as Row[];
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
  for (const statement of SCHEMA_STEPS.flat()) run(statement);
  const storage = {
    sql: { exec } as ObjectStorage['sql'],
    transactionSync: <T>(act: () => T) => act(),
    getAlarm: async () => null,
    setAlarm: async () => {},
  };
  const outbox = new Outbox({
    storage,
    directory: () => {
      throw new Error('no directory here');
    },
    log: silentLog,
    clock: () => 0,
    random: () => 0,
  });
  outbox.create('account-1');
  const open = () => cursors.filter(({ left }) => left > 0).map(({ query }) => query);
  return { outbox, run, open };
}
