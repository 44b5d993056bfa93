// The operator's questions across accounts, from the totals that each write maintains.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { offsetOf, type Page } from '../../core/domain/listing.js';
import { caseFolded } from '../../core/domain/search.js';
import type { AccountSummary, Overview, Usage } from '../../core/operator-answers.js';
import type { OperatorViews, ViewQuery } from '../../core/records/record-service.js';
import { overviewOf, recordCount, usageView, windowStarts } from '../../core/records/usage-view.js';
import { fromStored } from './columns.js';
import type { Database, Run } from './database.js';
import { PING } from './statements.js';

/** Accounts that a search looks at in one go. */
const SEARCHED_AT_ONCE = 2_000;

export class PostgresViews implements OperatorViews {
  readonly #database: Database;
  readonly #clock: () => number;

  constructor(database: Database, clock: () => number) {
    this.#database = database;
    this.#clock = clock;
  }

  overview(): Promise<Overview> {
    return this.#database.view(async (run) => {
      const rows = await run<{ collection: CollectionName; records: string }>(
        'select collection, sum(records) as records from account_totals group by 1',
      );
      return overviewOf(await countIn(run, `(${OWNERS}) o`), countsIn(rows));
    });
  }

  accounts(query: ViewQuery): Promise<Page> {
    return this.#database.view(async (run) => {
      const { q, pageSize } = query;
      const first = offsetOf(query);
      if (q !== '') {
        const owners = await matchingOwners(run, q);
        const page = owners.slice(first, first + pageSize);
        return { items: await summaries(run, page), total: owners.length };
      }
      const rows = await run<{ owner: string }>(
        `select owner from (${OWNERS}) o order by owner limit $1 offset $2`,
        [pageSize, first],
      );
      const page = rows.map(({ owner }) => owner);
      return { items: await summaries(run, page), total: await countIn(run, `(${OWNERS}) o`) };
    });
  }

  usage(): Promise<Usage> {
    return this.#database.view(async (run) => {
      type Row = Record<'records' | 'bytes' | 'updated_at' | 'day' | 'week' | 'month', string> & {
        collection: CollectionName;
      };
      const values = [COLLECTION_NAMES, ...windowStarts(this.#clock())];
      const rows = await run<Row>(USAGE, values);
      const collections = rows.map((row) => ({
        collection: row.collection,
        records: Number(row.records),
        payloadBytes: Number(row.bytes),
        createdAfter: [Number(row.day), Number(row.week), Number(row.month)] as const,
        lastUpdatedAt: Number(row.updated_at),
      }));
      return usageView({ collections, auditEventCount: await countIn(run, 'audit_events') });
    });
  }

  audit(query: ViewQuery): Promise<Page> {
    return this.#database.view(async (run) => {
      const rows = await run<{ id: string; event: string }>(
        'select id, event from audit_events order by id desc limit $1 offset $2',
        [query.pageSize, offsetOf(query)],
      );
      const items = rows.map(({ id, event }) =>
        JSON.stringify({ ...JSON.parse(event), id: Number(id) }),
      );
      return { items, total: await countIn(run, 'audit_events') };
    });
  }

  /** Rejects, too, where Postgres takes no writes. */
  async ping(): Promise<void> {
    const [row] = await this.#database.read<{ read_only: string }>(PING, []);
    if (row?.read_only === 'on') throw new Error('Postgres takes no writes');
  }
}

const OWNERS = "select distinct owner from account_totals where owner <> '' and records > 0";

const USAGE = `
  select collection, sum(records) as records, sum(bytes) as bytes, max(updated_at) as updated_at,
    (select count(*) from records r where r.collection = t.collection and created_at > $2) as day,
    (select count(*) from records r where r.collection = t.collection and created_at > $3) as week,
    (select count(*) from records r where r.collection = t.collection and created_at > $4) as month
    from account_totals t where collection = any ($1) and records > 0 group by collection`;

/** `$1`: accounts after this one, `$2`: how many, `$3`: the folded needle. */
const SEARCHED = `
  select o.owner, exists (select from records r where r.owner = o.owner and r.collection = 'businesses'
      and strpos(coalesce(r.folded, lower(r.body)), $3) > 0) as matches
    from (${OWNERS} and owner > $1 order by 1 limit $2) o order by 1`;

async function countIn(run: Run, rows: string): Promise<number> {
  const [row] = await run<{ count: string }>(`select count(*) from ${rows}`);
  return Number(row?.count);
}

function countsIn(rows: readonly { collection: CollectionName; records: string }[]) {
  const counts = new Map(rows.map(({ collection, records }) => [collection, Number(records)]));
  return (name: CollectionName) => counts.get(name) ?? 0;
}

async function summaries(run: Run, owners: readonly string[]): Promise<string[]> {
  type Row = { owner: string; collection: CollectionName; records: string };
  const rows = await run<Row>(
    'select owner, collection, records from account_totals where owner = any ($1)',
    [owners],
  );
  return owners.map((owner) => {
    const resources = byCollection(countsIn(rows.filter((row) => row.owner === owner)));
    return JSON.stringify({
      owner_sub: fromStored(owner),
      record_count: recordCount(resources),
      resources,
    } satisfies AccountSummary);
  });
}

/** In order. `q` looks in the subject and in the account's business profiles, as on every host. */
async function matchingOwners(run: Run, q: string): Promise<string[]> {
  const needle = caseFolded(q);
  // Only a subject can hold U+0000: JSON spells it, and Postgres takes none.
  const inBodies = needle.includes('\0') ? null : needle;
  const matching: string[] = [];
  for (let last = ''; ; ) {
    const values = [last, SEARCHED_AT_ONCE, inBodies];
    const rows = await run<{ owner: string; matches: boolean }>(SEARCHED, values);
    for (const { owner, matches } of rows) {
      if (matches || caseFolded(fromStored(owner)).includes(needle)) matching.push(owner);
    }
    last = rows.at(-1)?.owner ?? '';
    if (rows.length < SEARCHED_AT_ONCE) return matching;
  }
}
