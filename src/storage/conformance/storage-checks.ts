// The promises of the port `RecordStorage`, which every storage must keep, as checks.

import type { CommitResult, StoredRow } from '../../core/records/record-storage.js';
import { type Check, type CheckedStorage, checksOf, type Step, type StorageHome } from './check.js';
import { expectSame, expectTrue } from './expectations.js';
import { FENCING } from './fencing-checks.js';
import { changes, commits, event, loaded, row, rows, type SomeChanges } from './sample-changes.js';

type Steps = Readonly<Record<string, Step<CheckedStorage>>>;

/** NUL and lone surrogates reach a storage as JSON escapes, as everything does that JSON escapes. */
const ODD_TEXTS = [
  'a\u0000b',
  '\ud800 and \udc00',
  '💇🏾‍♀️🧵',
  '\u2028\u2029\u0085\r\n\t',
  `"'\`\\ \\u0000 ]}`,
  '\uffff\ufffe\u{10ffff}',
];

const COMMITTED: CommitResult = { status: 'committed' };

export interface StorageCheckOptions {
  /** Whether each home has `refuseEvents`; the check that needs it runs only then. Default: false. */
  readonly refusesEvents?: boolean;
  /** False if the platform itself never has two openings of one place. Default: true. */
  readonly opensTwice?: boolean;
}

/** `make` makes a new, empty place for each check. */
export function storageChecks(
  make: () => Promise<StorageHome>,
  { refusesEvents = false, opensTwice = true }: StorageCheckOptions = {},
): Check[] {
  const groups = [
    ...[COMMITS, LOADING, EVENTS, ENDS],
    ...(opensTwice ? [FENCING] : []),
    ...(refusesEvents ? [REFUSALS] : []),
  ];
  return checksOf(make, Object.assign({}, ...groups));
}

const COMMITS: Steps = {
  'starts without rows and without events': async ({ storage }) => {
    expectSame('rows', await loaded(storage), []);
    expectSame('events', await eventsOf(storage), { items: [], total: 0 });
  },

  'keeps puts, updates, removals and events of one commit together': async (bench) => {
    await commits(bench.storage, { puts: rows(3) });
    const updated = row(2, '{"id":"CUS-0002","changed":true}');
    const events = [event('first'), event('second')];
    await commits(bench.storage, { puts: [updated, row(4)], removals: [1], events });
    await bench.nowAndAfterReopening(async () => {
      expectSame('rows', await loaded(bench.storage), [updated, row(3), row(4)]);
      const { items, total } = await eventsOf(bench.storage);
      expectSame('number of events', total, 2);
      expectSame('events', items.map(withoutId), [event('second'), event('first')]);
    });
  },

  'keeps nothing of a commit that fails, and continues': async (bench) => {
    await commits(bench.storage, { puts: rows(2), events: [event('before')] });
    const duplicate = { ...row(9), id: row(1).id };
    const lost = { ...row(1), body: '{"id":"CUS-0001","lost":true}' };
    await fails(bench.storage, {
      puts: [row(3), lost, duplicate],
      removals: [2],
      events: [event('lost')],
    });
    await bench.nowAndAfterReopening(async () => {
      expectSame('rows', await loaded(bench.storage), rows(2));
      expectSame('number of events', (await eventsOf(bench.storage)).total, 1);
    });
    await commits(bench.storage, { puts: [row(3)] });
    await bench.nowAndAfterReopening(async () =>
      expectSame('rows', await loaded(bench.storage), rows(3)),
    );
  },

  'removes what is not there without complaint': async ({ storage }) => {
    await commits(storage, { puts: rows(1) });
    await commits(storage, { removals: [7] });
    expectSame('rows', await loaded(storage), rows(1));
  },

  'keeps the highest numbers of each collection, whatever is removed or committed later': async (
    bench,
  ) => {
    expectSame('numbers at the start', await bench.storage.sequences(), {});
    await commits(bench.storage, { puts: rows(3), sequences: { customers: 3, orders: 70 } });
    await commits(bench.storage, { removals: [1, 2, 3], sequences: { customers: 5 } });
    await commits(bench.storage, { puts: [row(9)], sequences: { customers: 4 } });
    const failing = [row(10), { ...row(11), id: row(10).id }];
    await fails(bench.storage, { puts: failing, sequences: { customers: 900 } });
    await bench.nowAndAfterReopening(async () => {
      const wanted = { customers: 5, orders: 70 };
      expectSame('numbers', await bench.storage.sequences(), wanted);
    });
  },
};

const LOADING: Steps = {
  'loads by position, more rows than any page holds': async (bench) => {
    const all = rows(12_001);
    await commits(bench.storage, { puts: [...all].reverse() });
    await commits(bench.storage, { removals: [5_000, 5_001, 12_001] });
    const kept = all.filter(({ position }) => ![5_000, 5_001, 12_001].includes(position));
    await bench.nowAndAfterReopening(async () =>
      expectSame('rows', await loaded(bench.storage), kept),
    );
  },

  'loads rows of 1 MiB, more bytes than any page holds': async ({ storage }) => {
    const big = (position: number) =>
      row(position, JSON.stringify({ id: row(position).id, note: 'é'.repeat(2 ** 19) }));
    const all = Array.from({ length: 20 }, (_, i) => (i % 4 === 3 ? row(i + 1) : big(i + 1)));
    for (const put of all) await commits(storage, { puts: [put] });
    const found = await loaded(storage);
    expectSame('positions', positionsOf(found), positionsOf(all));
    expectTrue(
      'every body is what was put',
      found.every(({ body }, i) => body === all[i]?.body),
    );
  },

  'can be left in the middle of loading': async ({ storage }) => {
    await commits(storage, { puts: rows(6_000) });
    for await (const page of storage.load()) {
      const [first] = page;
      expectSame('the first body', first?.body, row(1).body);
      break;
    }
    await commits(storage, { puts: [row(6_001)] });
    expectSame('number of rows', (await loaded(storage)).length, 6_001);
  },

  'gives back odd texts byte for byte': async (bench) => {
    const puts = ODD_TEXTS.map((text, i) =>
      row(i + 1, JSON.stringify({ id: row(i + 1).id, [text]: text, owner_sub: text })),
    );
    const audited = ODD_TEXTS.map((text) => ({ ...event(text, [text]), owner_sub: text }));
    await commits(bench.storage, { puts, events: audited });
    await bench.nowAndAfterReopening(async () => {
      expectSame('rows', await loaded(bench.storage), puts);
      const { items } = await eventsOf(bench.storage);
      expectSame('events', items.map(withoutId), [...audited].reverse());
    });
  },

  'gives back a body of 512 levels, of no levels and of odd spacing': async (bench) => {
    const puts = [
      row(1, `${'{"a":['.repeat(256)}${']}'.repeat(256)}`),
      row(2, '{}'),
      row(3, ' {"b":1e3, "a" : -0.0,\n"b":2} '),
    ];
    await commits(bench.storage, { puts });
    await bench.nowAndAfterReopening(async () =>
      expectSame('rows', await loaded(bench.storage), puts),
    );
  },
};

const EVENTS: Steps = {
  'pages through audit events, newest first, with ids that only grow': async (bench) => {
    const names = Array.from({ length: 25 }, (_, i) => `event-${i}`);
    const all = names.map((name) => event(name));
    await commits(bench.storage, { puts: [row(1)], events: all.slice(0, 20) });
    await commits(bench.storage, { puts: [row(2)], events: all.slice(20) });
    await bench.nowAndAfterReopening(async () => {
      const seen: KeptEvent[] = [];
      for (const page of [1, 2, 3]) {
        const { items, total } = await eventsOf(bench.storage, page, 10);
        expectSame('number of events', total, 25);
        seen.push(...items);
      }
      expectSame(
        'events',
        seen.map(({ record_id }) => record_id),
        [...names].reverse(),
      );
      const ids = seen.map(({ id }) => id);
      expectSame(
        'ids',
        ids,
        [...new Set(ids)].sort((a, b) => b - a),
      );
      expectSame('page 4 of 3', await eventsOf(bench.storage, 4, 10), { items: [], total: 25 });
      const beyond = await eventsOf(bench.storage, Number.MAX_SAFE_INTEGER, 200);
      expectSame('a page far beyond', beyond.items, []);
    });
  },
};

const ENDS: Steps = {
  'has everything stored when close resolves, a commit under way included': async (bench) => {
    const commit = bench.storage.commit(changes({ puts: rows(500) }));
    await Promise.all([commit, bench.reopen()]);
    expectSame('the outcome', await commit, COMMITTED);
    expectSame('rows', await loaded(bench.storage), rows(500));
  },

  'takes no commit once closed': async (bench) => {
    await bench.close();
    const { status } = await bench.storage.commit(changes({ puts: rows(1) }));
    expectSame('the outcome', status, 'unknown');
    await bench.reopen();
    expectSame('rows', await loaded(bench.storage), []);
  },
};

const REFUSALS: Steps = {
  'lets the rows stand where the events alone cannot be stored, and says so': async (bench) => {
    await commits(bench.storage, { puts: rows(2), events: [event('before')] });
    await bench.close();
    await bench.home.refuseEvents?.();
    await bench.reopen();
    const lost = { puts: [row(3)], removals: [1], events: [event('lost'), event('lost too')] };
    const result = await bench.storage.commit(changes(lost));
    expectSame('the outcome', result.status, 'committed');
    expectTrue('there is an auditError', 'auditError' in result && result.auditError !== undefined);
    await bench.nowAndAfterReopening(async () => {
      expectSame('rows', await loaded(bench.storage), [row(2), row(3)]);
      const { items } = await eventsOf(bench.storage);
      expectSame('events', items.map(withoutId), [event('before')]);
    });
  },
};

type KeptEvent = ReturnType<typeof event> & { readonly id: number };

async function eventsOf(storage: CheckedStorage, page = 1, pageSize = 200) {
  const { items, total } = await storage.auditEvents({ page, pageSize });
  return { items: items.map((item): KeptEvent => JSON.parse(item)), total };
}

function withoutId({ id: _id, ...kept }: KeptEvent): ReturnType<typeof event> {
  return kept;
}

async function fails(storage: CheckedStorage, some: SomeChanges): Promise<void> {
  const result = await storage.commit(changes(some));
  expectSame('the outcome of a commit that fails', result.status, 'notStored');
  expectTrue('there is an error', 'error' in result && result.error instanceof Error);
}

function positionsOf(all: readonly StoredRow[]): number[] {
  return all.map(({ position }) => position);
}
