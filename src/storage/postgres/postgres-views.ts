// The operator's questions across accounts, answered by SQL: no process holds all of them.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { offsetOf, type Page, type PageRequest } from '../../core/domain/listing.js';
import { Needle } from '../../core/domain/search.js';
import type { AccountSummary, Overview, Usage } from '../../core/operator-answers.js';
import type { OperatorViews, ViewQuery } from '../../core/records/record-service.js';
import type {
  StoredTotals,
  StoredUsage,
  StoredViews,
  ThreeTimes,
} from '../../core/records/record-storage.js';
import { overviewOf, recordCount, usageView, windowStarts } from '../../core/records/usage-view.js';
import { type Answer, type Connection, type PostgresPool, TOUCH } from './postgres-pool.js';
import { fromStored } from './stored-text.js';

/** Accounts that a search looks at in one go. */
const SEARCHED_AT_ONCE = 2_000;

export interface PostgresViewsOptions {
  readonly pool: PostgresPool;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class PostgresViews implements OperatorViews {
  readonly #pool: PostgresPool;
  readonly #clock: () => number;
  readonly #stored: StoredViews;

  constructor({ pool, clock }: PostgresViewsOptions) {
    this.#pool = pool;
    this.#clock = clock;
    this.#stored = new PostgresTotals(pool);
  }

  overview(): Promise<Overview> {
    return this.#pool.snapshot(async (connection) => {
      type Row = { collection: CollectionName; records: string };
      const { rows } = await connection.run<Row>(COUNTS);
      const count = (name: CollectionName) =>
        Number(rows.find(({ collection }) => collection === name)?.records ?? 0);
      return overviewOf(await countIn(connection, ACCOUNT_COUNT), count);
    });
  }

  accounts(query: ViewQuery): Promise<Page> {
    return this.#pool.snapshot(async (connection) => {
      const { q, pageSize } = query;
      const first = offsetOf(query);
      if (q === '') {
        const { rows } = await connection.run<{ owner: string }>(OWNERS, [pageSize, first]);
        const owners = rows.map(({ owner }) => owner);
        const total = await countIn(connection, ACCOUNT_COUNT);
        return { items: await summaries(connection, owners), total };
      }
      const owners = await matchingOwners(connection, q);
      const items = await summaries(connection, owners.slice(first, first + pageSize));
      return { items, total: owners.length };
    });
  }

  async usage(): Promise<Usage> {
    return usageView(await this.#stored.usage(windowStarts(this.#clock())));
  }

  audit(query: ViewQuery): Promise<Page> {
    return this.#stored.auditEvents(query);
  }

  ping(): Promise<void> {
    return this.#stored.ping();
  }
}

async function countIn(connection: Connection, statement: string): Promise<number> {
  const { rows } = await connection.run<{ count: string }>(statement);
  return Number(rows[0]?.count);
}

/** As JSON texts. `owners`: as the column has them, in order. */
async function summaries(connection: Connection, owners: readonly string[]): Promise<string[]> {
  type Row = { owner: string; collection: CollectionName; records: string };
  const { rows } = await connection.run<Row>(TOTALS_OF, [owners]);
  const totals = new Map(rows.map((row) => [`${row.collection}/${row.owner}`, row.records]));
  return owners.map((owner) => {
    const resources = byCollection((name) => Number(totals.get(`${name}/${owner}`) ?? 0));
    const owner_sub = fromStored(owner);
    return JSON.stringify({
      owner_sub,
      record_count: recordCount(resources),
      resources,
    } satisfies AccountSummary);
  });
}

/** As the column has them, in order. `q` looks in the subject and in the account's business profiles, with the search of every host. */
async function matchingOwners(connection: Connection, q: string): Promise<string[]> {
  const needle = new Needle(q);
  const matching = new Set<string>();
  type Row = { owner: string; profile: string | null };
  const after = (last: string): Promise<Answer<Row>> =>
    connection.run<Row>(PROFILES, [last, SEARCHED_AT_ONCE]);
  let next: Promise<Answer<Row>> | undefined = after('');
  while (next !== undefined) {
    const { rows }: Answer<Row> = await next;
    const last = rows.at(-1);
    // Postgres reads on while these are searched.
    next = last && rows.length >= SEARCHED_AT_ONCE ? after(last.owner) : undefined;
    for (const { owner, profile } of rows) {
      if (matching.has(owner)) continue;
      if ((await isIn(fromStored(owner), needle)) || (await isIn(profile ?? '', needle))) {
        matching.add(owner);
      }
    }
  }
  return [...matching].sort(byBytes);
}

/** As `collate "C"` has it. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function isIn(text: string, needle: Needle): Promise<boolean> {
  return needle.isIn(text, () => undefined);
}

/** What storage alone knows, for the port's own checks, too. */
export class PostgresTotals implements StoredViews {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async usage(createdAfter: ThreeTimes): Promise<StoredTotals> {
    const values = [COLLECTION_NAMES, ...createdAfter];
    const { rows } = await this.#pool.snapshot((one) => one.run<UsageRow>(USAGE, values));
    return {
      collections: rows.flatMap(storedUsage),
      auditEventCount: Number(rows[0]?.events ?? 0),
    };
  }

  auditEvents(page: PageRequest): Promise<Page> {
    return this.#pool.snapshot(async (connection) => {
      type Row = { id: string; event: string };
      const { rows } = await connection.run<Row>(EVENTS, [page.pageSize, offsetOf(page)]);
      const items = rows.map(({ id, event }) =>
        JSON.stringify({ ...JSON.parse(event), id: Number(id) }),
      );
      return { items, total: await countIn(connection, EVENT_COUNT) };
    });
  }

  async ping(): Promise<void> {
    await this.#pool.run('select 1');
  }

  /** A commit that changes nothing. */
  async touch(): Promise<void> {
    await this.#pool.run(TOUCH);
  }
}

interface UsageRow {
  readonly collection: CollectionName;
  readonly records: string | null;
  readonly bytes: string | null;
  readonly after_first: string;
  readonly after_second: string;
  readonly after_third: string;
  readonly updated_at: string | null;
  readonly events: string;
}

function storedUsage(row: UsageRow): StoredUsage[] {
  const { collection, records, bytes, updated_at: updatedAt } = row;
  if (records === null) return [];
  return [
    {
      collection,
      records: Number(records),
      payloadBytes: Number(bytes),
      createdAfter: [Number(row.after_first), Number(row.after_second), Number(row.after_third)],
      lastUpdatedAt: Number(updatedAt),
    },
  ];
}

const COUNTS = 'select collection, sum(records) as records from account_totals group by 1';

/** Rows that no account owns are counted under the empty name. */
const ACCOUNT_COUNT = "select count(distinct owner) from account_totals where owner <> ''";

const OWNERS = `
  select owner from (select distinct owner from account_totals where owner <> '') o
   order by owner collate "C" limit $1 offset $2`;

const TOTALS_OF =
  'select owner, collection, records from account_totals where owner = any ($1::text[])';

/** An account's profiles are rows one after the other. In the database's own order of texts: the indexes have it. */
const PROFILES = `
  select o.owner, r.body as profile
    from (select distinct owner from account_totals
           where owner > $1 and owner <> '' order by 1 limit $2) o
    left join records r on r.owner = o.owner and r.collection = 'businesses'
   order by 1`;

const USAGE = `
  select name as collection, t.records, t.bytes,
    (select count(*) from records where collection = name and created_at > $2) as after_first,
    (select count(*) from records where collection = name and created_at > $3) as after_second,
    (select count(*) from records where collection = name and created_at > $4) as after_third,
    (select max(updated_at) from records where collection = name) as updated_at,
    (select count(*) from audit_events) as events
    from unnest($1::text[]) name
    left join (select collection, sum(records) as records, sum(bytes) as bytes
                 from account_totals group by 1) t on t.collection = name`;

const EVENTS = 'select id, event from audit_events order by id desc limit $1 offset $2';
const EVENT_COUNT = 'select count(*) from audit_events';
