// The audit log for people: what belongs together is one row, and a day of the console's
// time zone is found without reading all pages before it.

import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/operator-client.js';
import { itemsOf } from '../../src/tools/console/audit-groups.js';
import { type AuditFilter, searchAudit } from '../../src/tools/console/audit-search.js';
import { AuditTable } from '../../src/tools/console/audit-table.js';
import { formatsFor } from '../../src/tools/console/formats.js';

const START = Date.parse('2026-03-01T00:00:00Z');
const FORMATS = formatsFor('en-TZ', 'Africa/Dar_es_Salaam');
const { day: dayOf } = FORMATS;

type Made = Partial<AuditEvent> & { readonly atS?: number };

/** Newest first, numbered from the last one on; a second apart unless they say when. */
function events(made: readonly Made[]): AuditEvent[] {
  return made.map(({ atS, ...own }, index) => {
    const id = made.length - index;
    const timestamp = new Date(START + (atS ?? id) * 1000).toISOString();
    const record_id = `CUS-${id}`;
    const event = {
      id,
      actor: 'admin',
      action: 'create',
      resource: 'customers',
      record_id,
    } as const;
    return { ...event, owner_sub: 'a', timestamp, changed: [], ...own };
  });
}

/** `7 delete a` for a group, `create a` for an event. */
function shown(made: readonly Made[]): string[] {
  return itemsOf(events(made)).map((item) => {
    const { action, owner_sub } = 'event' in item ? item.event : item.group.newest;
    return 'event' in item
      ? `${action} ${owner_sub}`
      : `${item.group.count} ${action} ${owner_sub}`;
  });
}

const times = (count: number, made: Made) => Array.from({ length: count }, () => made);

describe('What one import or erasure wrote', () => {
  it('is one item, with its collections counted', () => {
    const made = [
      ...times(6, { action: 'delete', resource: 'orders' }),
      ...times(3, { action: 'delete' }),
    ];
    const [item, ...others] = itemsOf(events(made));
    expect(others).toEqual([]);
    expect(item).toMatchObject({ group: { count: 9, newest: { id: 9 }, oldest: { id: 1 } } });
    const group = item !== undefined && 'group' in item ? item.group : undefined;
    expect([...(group?.resources ?? [])]).toEqual([
      ['orders', 6],
      ['customers', 3],
    ]);
  });

  it('stays one item where another import runs at the same time', () => {
    const made = times(6, {}).flatMap(() => [{ owner_sub: 'a' }, { owner_sub: 'b' }]);
    expect(shown(made)).toEqual(['6 create a', '6 create b']);
  });

  it('is told from a change by hand that falls into it', () => {
    const made = [...times(3, {}), { action: 'update' as const }, ...times(3, {})];
    expect(shown(made)).toEqual(['6 create a', 'update a']);
  });

  it.each<[string, Made[], string[]]>([
    ['four creates', times(4, {}), times(4, {}).map(() => 'create a')],
    ['changes', times(6, { action: 'update' }), times(6, {}).map(() => 'update a')],
    [
      'two imports with a pause of more than a minute between them',
      [...times(5, { atS: 200 }), ...times(5, { atS: 100 })],
      ['5 create a', '5 create a'],
    ],
  ])('is not seen in %s', (_what, made, items) => {
    expect(shown(made)).toEqual(items);
  });
});

describe('The row of an import', () => {
  const view = { formats: FORMATS, assetVersion: '', session: undefined };
  const made = times(6, {}).map((_, index) => ({ atS: 3_600 - 50 * index }));
  const row = (searchedBackTo?: string) =>
    String(AuditTable({ view, found: { events: events(made), searchedBackTo }, caption: '' }));

  it('has the time of its first event in the console’s time zone, and leads to its events', () => {
    expect(row()).toContain('1 Mar 2026, 04:00</td>');
    expect(row()).toContain('6 customers; the first at 1 Mar 2026, 03:55</td>');
    expect(row()).toContain('newest=6&amp;oldest=1">6 records</a>');
  });

  it('says that there may be more where the search ended in it', () => {
    expect(row('2026-03-01T00:55:00Z')).toContain('newest=6">6 records or more</a>');
    expect(row('2026-03-01T00:30:00Z')).toContain('oldest=1">6 records</a>');
  });
});

describe('A search', () => {
  const DAYS = 60;
  /** A hundred events on each day, newest first. */
  const all = events(
    Array.from({ length: DAYS * 100 }, (_, index) => ({
      atS: (DAYS * 100 - 1 - index) * 864,
      action: 'update' as const,
      owner_sub: `shop-${index % 7}`,
    })),
  );
  const asked: number[] = [];
  const client = {
    audit: {
      list: async ({ page = 1, page_size = 200 }) => {
        asked.push(page);
        const items = all.slice((page - 1) * page_size, page * page_size);
        const total_pages = Math.ceil(all.length / page_size);
        return { items, pagination: { page, page_size, total: all.length, total_pages } };
      },
    },
  };
  const search = (filter: AuditFilter) => {
    asked.length = 0;
    const limits = { requestsMax: 3, foundMax: 150, isGrouped: true, dayOf };
    return searchAudit(client as never, filter, limits);
  };

  it('for a day of the console’s time zone gives that day alone, in few requests', async () => {
    const found = await search({ day: '2026-03-11' });
    const wanted = all.filter(({ timestamp }) => {
      return timestamp >= '2026-03-10T21:00' && timestamp < '2026-03-11T21:00';
    });
    expect(wanted).toHaveLength(100);
    expect(found.events).toEqual(wanted);
    expect(found.next).toBeUndefined();
    expect(asked.length).toBeLessThanOrEqual(10);
  });

  it('for a day and an account gives both', async () => {
    const found = await search({ day: '2026-03-11', account: 'shop-3' });
    expect(found.events.length).toBeGreaterThan(10);
    for (const event of found.events) {
      expect([event.owner_sub, dayOf(event.timestamp)]).toEqual(['shop-3', '2026-03-11']);
    }
  });

  it.each(['2025-01-01', '2027-01-01'])('for the day %s, which has no event, ends', async (day) => {
    const found = await search({ day });
    expect([found.events, found.next]).toEqual([[], undefined]);
  });

  it('for the events of a group gives those', async () => {
    const found = await search({ newest: 520, oldest: 511 });
    expect(found.events.map(({ id }) => id)).toEqual([
      520, 519, 518, 517, 516, 515, 514, 513, 512, 511,
    ]);
    expect(found.next).toBeUndefined();
  });
});
