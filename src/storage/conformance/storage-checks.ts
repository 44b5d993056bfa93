// Checks of what the ports `RecordStorage` and `StoredViews` promise.

import type { CommitResult, RecordStorage } from '../../core/records/record-storage.js';
import { utf8Length } from '../../core/utf8-length.js';
import {
  type CheckedStorage,
  changes,
  event,
  expectSame,
  type Fixture,
  fixtureOf,
  loaded,
  row,
  rows,
  type SomeChanges,
  type StorageHome,
} from './check.js';

export interface Check {
  readonly name: string;
  /** Rejects with an error that says what was found and what was wanted. */
  run(): Promise<void>;
}

export interface StorageCheckOptions {
  /** Whether each home has `refuseEvents`, which one check needs. Default: false. */
  readonly refusesEvents?: boolean;
  /** False if the platform never opens a storage twice. Default: true. */
  readonly opensTwice?: boolean;
}

/** The checks of a storage that `openRecords` takes. `make` provides a new, empty home for each of them. */
export function storageConformance(
  make: () => Promise<StorageHome>,
  { refusesEvents = false, opensTwice = true }: StorageCheckOptions = {},
): Check[] {
  const steps = { ...STEPS, ...(opensTwice && FENCING), ...(refusesEvents && REFUSALS) };
  return Object.entries(steps).map(([name, step]) => ({
    name,
    async run() {
      const home = await make();
      const fixture = fixtureOf(home, await home.open());
      try {
        await step(fixture);
      } finally {
        await fixture.close();
        await home.remove();
      }
    },
  }));
}

type Steps = Readonly<Record<string, (fixture: Fixture) => Promise<void>>>;

/** NUL and lone surrogates reach a storage as JSON escapes. */
const UNUSUAL_TEXTS = [
  'a\u0000b',
  '\ud800 and \udc00',
  '💇🏾‍♀️🧵',
  '\u2028\u2029\u0085\r\n\t',
  `"'\`\\ \\u0000 ]}`,
  '\uffff\ufffe\u{10ffff}',
];
const DAY_MS = 24 * 60 * 60 * 1000;
const START = 1_700_000_000_000;

const STEPS: Steps = {
  'is empty at first, and keeps all changes of a commit together': async (fixture) => {
    expectSame('what it holds at first', await contents(fixture.storage), { rows: [], events: [] });
    await expectCommit(fixture.storage, { puts: rows(3) });
    const updated = row(2, '{"id":"CUS-0002","changed":true}');
    const events = [event('first'), event('second')];
    await expectCommit(fixture.storage, { puts: [updated, row(4)], removals: [1, 99], events });
    const wanted = { rows: [updated, row(3), row(4)], events: events.toReversed() };
    await fixture.expect('what it holds', contents, wanted);
  },

  'stores nothing of a failed commit, and continues': async (fixture) => {
    const events = [event('before')];
    await expectCommit(fixture.storage, { puts: rows(2), events });
    const duplicate = { ...row(9), id: row(1).id };
    const lost = { ...row(1), body: '{"id":"CUS-0001","lost":true}' };
    const puts = [row(3), lost, duplicate];
    const failing = { puts, removals: [2], events: [event('lost')] };
    await expectCommit(fixture.storage, failing, 'notStored');
    await fixture.expect('what it holds', contents, { rows: rows(2), events });
    await expectCommit(fixture.storage, { puts: [row(3)] });
    await fixture.expect('rows', loaded, rows(3));
  },

  'keeps the highest numbers of each collection across later commits': async (fixture) => {
    const { storage } = fixture;
    expectSame('numbers at the start', await storage.sequences(), {});
    await expectCommit(storage, { puts: rows(3), sequences: { customers: 3, orders: 70 } });
    await expectCommit(storage, { removals: [1, 2, 3], sequences: { customers: 5 } });
    await expectCommit(storage, { puts: [row(9)], sequences: { customers: 4 } });
    const failing = [row(10), { ...row(11), id: row(10).id }];
    await expectCommit(storage, { puts: failing, sequences: { customers: 900 } }, 'notStored');
    const wanted = { customers: 5, orders: 70 };
    await fixture.expect('numbers', (opened) => opened.sequences(), wanted);
  },

  'loads by position, more rows than any page holds': async (fixture) => {
    const all = rows(12_001);
    const removals = [5_000, 5_001, 12_001];
    await expectCommit(fixture.storage, { puts: all.toReversed() });
    await expectCommit(fixture.storage, { removals });
    const kept = all.filter(({ position }) => !removals.includes(position));
    await fixture.expect('rows', loaded, kept);
  },

  'loads rows of 1 MiB, more bytes than any page holds': async ({ storage }) => {
    const big = (position: number) =>
      row(position, JSON.stringify({ id: row(position).id, note: 'é'.repeat(2 ** 19) }));
    const all = Array.from({ length: 20 }, (_, i) => (i % 4 === 3 ? row(i + 1) : big(i + 1)));
    for (const put of all) await expectCommit(storage, { puts: [put] });
    const found = await loaded(storage);
    const same = found.map(({ position, body }, i) => [position, body === all[i]?.body]);
    const wanted = all.map(({ position }) => [position, true]);
    expectSame('positions, and whether each body is unchanged', same, wanted);
  },

  'returns odd texts, depths and spacing byte for byte': async (fixture) => {
    const bodies = [`${'{"a":['.repeat(256)}${']}'.repeat(256)}`, '{}', ' {"b":1e3, "a" : -0.0 } '];
    const puts = [
      ...bodies.map((body, i) => row(101 + i, body)),
      ...UNUSUAL_TEXTS.map((text, i) =>
        row(201 + i, JSON.stringify({ id: row(201 + i).id, [text]: text, owner_sub: text })),
      ),
    ];
    const events = UNUSUAL_TEXTS.map((text) => ({ ...event(text, [text]), owner_sub: text }));
    await expectCommit(fixture.storage, { puts, events });
    const wanted = { rows: puts, events: events.toReversed() };
    await fixture.expect('what it holds', contents, wanted);
  },

  'pages through audit events, newest first, with increasing ids': async (fixture) => {
    const all = Array.from({ length: 25 }, (_, i) => event(`event-${i}`));
    await expectCommit(fixture.storage, { puts: [row(1)], events: all.slice(0, 20) });
    await expectCommit(fixture.storage, { puts: [row(2)], events: all.slice(20) });
    const pages = async (storage: CheckedStorage) => {
      const seen: { id: number; record_id: string }[] = [];
      for (const [index, count] of [10, 10, 5, 0].entries()) {
        const { items, total } = await storage.auditEvents({ page: index + 1, pageSize: 10 });
        expectSame('events on the page, and in total', [items.length, total], [count, 25]);
        seen.push(...items.map((item) => JSON.parse(item)));
      }
      const ids = seen.map(({ id }) => id);
      const falling = [...new Set(ids)].sort((a, b) => b - a);
      expectSame('ids', ids, falling);
      const past = await storage.auditEvents({ page: Number.MAX_SAFE_INTEGER, pageSize: 200 });
      expectSame('a page past the end', past.items, []);
      return seen.map(({ record_id: name }) => name);
    };
    await fixture.expect('events', pages, all.map(({ record_id: name }) => name).toReversed());
  },

  'waits in close for the commit in progress, and accepts none after': async (fixture) => {
    const commit = expectCommit(fixture.storage, { puts: rows(500) });
    const answered = () => 'answered';
    const ping = () => fixture.storage.ping().then(answered, () => 'refused');
    expectSame('a ping', await ping(), 'answered');
    await Promise.all([commit, fixture.close()]);
    expectSame('a ping of a closed storage', await ping(), 'refused');
    await expectCommit(fixture.storage, { puts: [row(501)] }, 'unknown');
    await fixture.reopen();
    expectSame('rows', await loaded(fixture.storage), rows(500));
  },

  'counts rows, bytes and times of creation and update by collection': async (fixture) => {
    const { storage } = fixture;
    const none = { collections: [], auditEventCount: 0 };
    expectSame('usage of nothing', await storage.usage([0, 0, 0]), none);
    const order = { ...row(3, '{"id":"ORD-0001","note":"é😀"}'), id: 'ORD-0001' };
    const puts = [{ ...order, collection: 'orders' as const }];
    await expectCommit(storage, { puts: [row(1)], at: START });
    await expectCommit(storage, { puts: [row(2)], at: START + DAY_MS });
    await expectCommit(storage, { puts, events: [event('first')], at: START + DAY_MS });
    await expectCommit(storage, { puts: [row(1, '{}')], at: START + 2 * DAY_MS });
    const usage = async (opened: CheckedStorage) => {
      const { collections, ...rest } = await opened.usage([START, START - 1, START + DAY_MS]);
      const sorted = collections.toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
      return { collections: sorted, ...rest };
    };
    const collections = [
      {
        ...{ collection: 'customers', records: 2, payloadBytes: utf8Length(row(2).body) + 2 },
        ...{ createdAfter: [1, 2, 0], lastUpdatedAt: START + 2 * DAY_MS },
      },
      {
        ...{ collection: 'orders', records: 1, payloadBytes: utf8Length(order.body) },
        ...{ createdAfter: [1, 1, 0], lastUpdatedAt: START + DAY_MS },
      },
    ];
    await fixture.expect('usage', usage, { collections, auditEventCount: 1 });
  },
};

const REFUSALS: Steps = {
  'keeps the rows if only the events cannot be stored, and reports it': async (fixture) => {
    await expectCommit(fixture.storage, { puts: rows(2), events: [event('before')] });
    await fixture.close();
    await fixture.home.refuseEvents?.();
    await fixture.reopen();
    const lost = { puts: [row(3)], removals: [1], events: [event('lost'), event('lost too')] };
    const result = await fixture.storage.commit(changes(lost));
    expectSame('the outcome', result.status, 'committed');
    expectSame('there is an auditError', 'auditError' in result && !!result.auditError, true);
    const wanted = { rows: [row(2), row(3)], events: [event('before')] };
    await fixture.expect('what it holds', contents, wanted);
  },
};

// Two open storages at one location would use the same ids and positions, and overwrite each other's acknowledged
// writes. So a second opening is refused, or the first storage then stores nothing and its commits are `unknown`.
const FENCING: Steps = {
  'refuses a second opening, or fences the first one with it': async (fixture) => {
    const first = fixture.storage;
    await expectCommit(first, { puts: [row(1)] });
    const second = await fixture.home.open().catch(() => undefined);
    if (second === undefined) {
      await expectCommit(first, { puts: [row(2)] });
      return fixture.expect('rows', loaded, rows(2));
    }
    const bySecond = row(2, '{"id":"CUS-0002","by":"the second"}');
    try {
      await expectCommit(first, { puts: [row(2), row(3)] }, 'unknown');
      expectSame('rows of the second opening', await loaded(second), rows(1));
      await expectCommit(second, { puts: [bySecond] });
    } finally {
      await second.close();
    }
    await expectCommit(first, { puts: [row(2), row(3)] }, 'unknown');
    await fixture.reopen();
    expectSame('rows', await loaded(fixture.storage), [row(1), bySecond]);
  },
};

/** The rows, and the audit events, newest first and without their ids. */
async function contents(storage: CheckedStorage) {
  const { items, total } = await storage.auditEvents({ page: 1, pageSize: 200 });
  expectSame('number of audit events', total, items.length);
  const events: unknown[] = items.map((item) => ({ ...JSON.parse(item), id: undefined }));
  return { rows: await loaded(storage), events };
}

/** Throws unless a commit of the changes has this outcome, with an error if it failed. */
async function expectCommit(
  storage: RecordStorage,
  some: SomeChanges,
  status: CommitResult['status'] = 'committed',
): Promise<void> {
  const { error, ...outcome } = { error: undefined, ...(await storage.commit(changes(some))) };
  const what = status === 'notStored' ? 'a commit of two rows with one id' : 'a commit';
  expectSame(`the outcome of ${what}`, outcome, { status });
  expectSame('there is an error', error !== undefined, status !== 'committed');
}
