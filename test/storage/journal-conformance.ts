// The promises of the port, which every journal must keep, as
// tests. An adapter's own test file passes a way to open it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/domain/audit-event.js';
import type { Changes, Journal, JournalRow, StoredViews } from '../../src/records/journal.js';

/** A journal, with a way to its audit events; the operator's other views where it answers them. */
export type TestedJournal = Journal & Pick<StoredViews, 'auditEvents'> & Partial<StoredViews>;

/** One place to store into, new and without rows when it is made. */
export interface JournalHome {
  /** Opens the journal there; the one opened before is closed. */
  open(): Promise<TestedJournal>;
  /** Makes every audit event from the next opening on impossible to store. Called while closed. */
  refuseEvents(): Promise<void>;
  remove(): Promise<void>;
}

export function row(position: number, body?: string): JournalRow {
  const id = `CUS-${String(position).padStart(4, '0')}`;
  return {
    position,
    collection: 'customers',
    id,
    body: body ?? JSON.stringify({ id, owner_sub: 'somebody', name: 'Neema' }),
  };
}

export function rows(count: number, first = 1): JournalRow[] {
  return Array.from({ length: count }, (_, i) => row(first + i));
}

export function event(name: string, changed: readonly string[] = ['name']): AuditEvent {
  return {
    actor: 'admin',
    action: 'update',
    resource: 'customers',
    record_id: name,
    owner_sub: 'somebody',
    timestamp: '2026-01-08T10:00:00.000Z',
    changed,
  };
}

export function changes(some: Partial<Changes>): Changes {
  return { puts: [], removals: [], sequences: {}, events: [], at: 1_700_000_000_000, ...some };
}

export async function loaded(journal: Journal): Promise<JournalRow[]> {
  const all: JournalRow[] = [];
  for await (const page of journal.load()) {
    expect(page.length).toBeGreaterThan(0);
    all.push(...page);
  }
  return all;
}

async function events(journal: TestedJournal, page = 1, pageSize = 200) {
  const { items, total } = await journal.auditEvents({ page, pageSize });
  return { items: items.map((item) => JSON.parse(item)), total };
}

/** NUL and lone surrogates reach a journal as JSON escapes, as everything does that JSON escapes. */
const ODD_TEXTS = [
  'a\u0000b',
  '\ud800 and \udc00',
  '💇🏾‍♀️🧵',
  '\u2028\u2029\u0085\r\n\t',
  `"'\`\\ \\u0000 ]}`,
  '\uffff\ufffe\u{10ffff}',
];

export function conformanceOf(name: string, make: () => Promise<JournalHome>): void {
  describe(`A journal — ${name}`, () => {
    let home: JournalHome;
    let journal: TestedJournal;

    beforeEach(async () => {
      home = await make();
      journal = await home.open();
    });
    afterEach(async () => {
      await journal.close();
      await home.remove();
    });

    /** Runs the check, closes, opens again and runs it again. */
    async function nowAndAfterReopening(check: () => Promise<void>): Promise<void> {
      await check();
      await journal.close();
      journal = await home.open();
      await check();
    }

    it('starts without rows and without events', async () => {
      expect(await loaded(journal)).toEqual([]);
      expect(await events(journal)).toEqual({ items: [], total: 0 });
    });

    it('keeps puts, updates, removals and events of one commit together', async () => {
      expect(await journal.commit(changes({ puts: rows(3) }))).toEqual({ status: 'committed' });
      const updated = row(2, '{"id":"CUS-0002","changed":true}');
      const result = await journal.commit(
        changes({
          puts: [updated, row(4)],
          removals: [1],
          events: [event('first'), event('second')],
        }),
      );
      expect(result).toEqual({ status: 'committed' });
      await nowAndAfterReopening(async () => {
        expect(await loaded(journal)).toEqual([updated, row(3), row(4)]);
        const { items, total } = await events(journal);
        expect(total).toBe(2);
        expect(items).toEqual([
          { id: expect.any(Number), ...event('second') },
          { id: expect.any(Number), ...event('first') },
        ]);
      });
    });

    it('keeps nothing of a commit that fails, and goes on', async () => {
      await journal.commit(changes({ puts: rows(2), events: [event('before')] }));
      const duplicate = { ...row(9), id: row(1).id };
      const result = await journal.commit(
        changes({
          puts: [row(3), { ...row(1), body: '{"id":"CUS-0001","lost":true}' }, duplicate],
          removals: [2],
          events: [event('lost')],
        }),
      );
      expect(result).toEqual({ status: 'absent', error: expect.any(Error) });
      await nowAndAfterReopening(async () => {
        expect(await loaded(journal)).toEqual(rows(2));
        expect((await events(journal)).total).toBe(1);
      });
      expect(await journal.commit(changes({ puts: [row(3)] }))).toEqual({ status: 'committed' });
      await nowAndAfterReopening(async () => expect(await loaded(journal)).toEqual(rows(3)));
    });

    it('lets the rows stand where the events alone cannot be stored, and says so', async () => {
      await journal.commit(changes({ puts: rows(2), events: [event('before')] }));
      await journal.close();
      await home.refuseEvents();
      journal = await home.open();
      const result = await journal.commit(
        changes({
          puts: [row(3)],
          removals: [1],
          events: [event('lost'), event('lost too')],
        }),
      );
      expect(result).toEqual({ status: 'committed', auditError: expect.any(Error) });
      await nowAndAfterReopening(async () => {
        expect(await loaded(journal)).toEqual([row(2), row(3)]);
        expect((await events(journal)).items.map((kept) => kept.record_id)).toEqual(['before']);
      });
    });

    it('removes what is not there without complaint', async () => {
      await journal.commit(changes({ puts: rows(1) }));
      expect(await journal.commit(changes({ removals: [7] }))).toEqual({ status: 'committed' });
      expect(await loaded(journal)).toEqual(rows(1));
    });

    it('loads by position, more rows than any page holds', async () => {
      const all = rows(12_001);
      await journal.commit(changes({ puts: all.toReversed() }));
      await journal.commit(changes({ removals: [5_000, 5_001, 12_001] }));
      const kept = all.filter(({ position }) => ![5_000, 5_001, 12_001].includes(position));
      await nowAndAfterReopening(async () => expect(await loaded(journal)).toEqual(kept));
    });

    it('loads rows of 1 MiB, more bytes than any page holds', async () => {
      const big = (position: number) =>
        row(position, JSON.stringify({ id: row(position).id, note: 'é'.repeat(2 ** 19) }));
      const all = Array.from({ length: 20 }, (_, i) => (i % 4 === 3 ? row(i + 1) : big(i + 1)));
      for (const put of all) await journal.commit(changes({ puts: [put] }));
      const found = await loaded(journal);
      expect(found.map(({ position }) => position)).toEqual(all.map(({ position }) => position));
      expect(found.every(({ body }, i) => body === all[i]?.body)).toBe(true);
    });

    it('can be left in the middle of loading', async () => {
      await journal.commit(changes({ puts: rows(6_000) }));
      for await (const page of journal.load()) {
        expect(page[0]).toEqual(row(1));
        break;
      }
      expect(await journal.commit(changes({ puts: [row(6_001)] }))).toEqual({
        status: 'committed',
      });
      expect(await loaded(journal)).toHaveLength(6_001);
    });

    it('gives back odd texts byte for byte', async () => {
      const puts = ODD_TEXTS.map((text, i) =>
        row(i + 1, JSON.stringify({ id: row(i + 1).id, [text]: text, owner_sub: text })),
      );
      const audited = ODD_TEXTS.map((text) => ({ ...event(text, [text]), owner_sub: text }));
      const result = await journal.commit(changes({ puts, events: audited }));
      expect(result).toEqual({ status: 'committed' });
      await nowAndAfterReopening(async () => {
        expect(await loaded(journal)).toEqual(puts);
        expect((await events(journal)).items).toEqual(
          audited.map((kept) => ({ ...kept, id: expect.any(Number) })).toReversed(),
        );
      });
    });

    it('gives back a body of 512 levels, of no levels and of odd spacing', async () => {
      const puts = [
        row(1, `${'{"a":['.repeat(256)}${']}'.repeat(256)}`),
        row(2, '{}'),
        row(3, ' {"b":1e3, "a" : -0.0,\n"b":2} '),
      ];
      await journal.commit(changes({ puts }));
      await nowAndAfterReopening(async () => expect(await loaded(journal)).toEqual(puts));
    });

    it('pages through audit events, newest first, with ids that only grow', async () => {
      const names = Array.from({ length: 25 }, (_, i) => `event-${i}`);
      await journal.commit(
        changes({ puts: [row(1)], events: names.slice(0, 20).map((n) => event(n)) }),
      );
      await journal.commit(
        changes({ puts: [row(2)], events: names.slice(20).map((n) => event(n)) }),
      );
      await nowAndAfterReopening(async () => {
        const seen: { id: number; record_id: string }[] = [];
        for (const page of [1, 2, 3]) {
          const { items, total } = await events(journal, page, 10);
          expect(total).toBe(25);
          seen.push(...items);
        }
        expect(seen.map((item) => item.record_id)).toEqual(names.toReversed());
        const ids = seen.map(({ id }) => id);
        expect(ids).toEqual(ids.toSorted((a, b) => b - a));
        expect(new Set(ids).size).toBe(25);
        expect(await events(journal, 4, 10)).toEqual({ items: [], total: 25 });
        const beyond = { page: Number.MAX_SAFE_INTEGER, pageSize: 200 };
        expect((await journal.auditEvents(beyond)).items).toEqual([]);
      });
    });

    it('has everything on disk when close resolves, a commit under way included', async () => {
      const commit = journal.commit(changes({ puts: rows(500) }));
      await Promise.all([commit, journal.close()]);
      journal = await home.open();
      expect(await commit).toEqual({ status: 'committed' });
      expect(await loaded(journal)).toEqual(rows(500));
    });

    it('takes no commit once closed', async () => {
      await journal.close();
      expect(await journal.commit(changes({ puts: rows(1) }))).toMatchObject({ status: 'unknown' });
      journal = await home.open();
      expect(await loaded(journal)).toEqual([]);
    });

    it('keeps the highest numbers of each collection, whatever is removed or committed later', async () => {
      expect(await journal.sequences()).toEqual({});
      await journal.commit(changes({ puts: rows(3), sequences: { customers: 3, orders: 70 } }));
      await journal.commit(changes({ removals: [1, 2, 3], sequences: { customers: 5 } }));
      await journal.commit(changes({ puts: [row(9)], sequences: { customers: 4 } }));
      const failing = [row(10), { ...row(11), id: row(10).id }];
      await journal.commit(changes({ puts: failing, sequences: { customers: 900 } }));
      await nowAndAfterReopening(async () => {
        expect(await journal.sequences()).toEqual({ customers: 5, orders: 70 });
      });
    });
  });
}
