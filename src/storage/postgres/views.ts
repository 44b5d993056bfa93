// The operator's questions across accounts, from the totals that each write maintains.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { offsetOf, type Page } from '../../core/domain/listing.js';
import { caseFolded, Needle } from '../../core/domain/search.js';
import type { AccountSummary, Overview, Usage } from '../../core/operator-answers.js';
import type { OperatorViews, ViewQuery } from '../../core/records/record-service.js';
import { overviewOf, recordCount, usageView, windowStarts } from '../../core/records/usage-view.js';
import type { Database, Run } from './database.js';
import { fromStored } from './stored-text.js';

/** Accounts that a search looks at in one go. */
const SEARCHED_AT_ONCE = 2_000;
const SNAPSHOT = 'begin isolation level repeatable read read only';

export class PostgresViews implements OperatorViews {
  readonly #database: Database;
  readonly #clock: () => number;

  constructor(database: Database, clock: () => number) {
    this.#database = database;
    this.#clock = clock;
  }

  overview(): Promise<Overview> {
    return this.#snapshot(async (run) => {
      const rows = await run<{ collection: CollectionName; records: string }>(
        'select collection, sum(records) as records from account_totals group by 1',
      );
      const count = (name: CollectionName) =>
        Number(rows.find(({ collection }) => collection === name)?.records ?? 0);
      return overviewOf(await countIn(run, ACCOUNT_COUNT), count);
    });
  }

  accounts(query: ViewQuery): Promise<Page> {
    return this.#snapshot(async (run) => {
      const { q, pageSize } = query;
      const first = offsetOf(query);
      if (q === '') {
        const rows = await run<{ owner: string }>(
          `select owner from (${OWNERS}) o order by owner limit $1 offset $2`,
          [pageSize, first],
        );
        return {
          items: await summaries(
            run,
            rows.map(({ owner }) => owner),
          ),
          total: await countIn(run, ACCOUNT_COUNT),
        };
      }
      const owners = await matchingOwners(run, q);
      return {
        items: await summaries(run, owners.slice(first, first + pageSize)),
        total: owners.length,
      };
    });
  }

  usage(): Promise<Usage> {
    return this.#snapshot(async (run) => {
      type Row = {
        collection: CollectionName;
        records: string;
        bytes: string;
        updated_at: string;
        day: string;
        week: string;
        month: string;
      };
      const rows = await run<Row>(USAGE, [COLLECTION_NAMES, ...windowStarts(this.#clock())]);
      const collections = rows.map((row) => ({
        collection: row.collection,
        records: Number(row.records),
        payloadBytes: Number(row.bytes),
        createdAfter: [Number(row.day), Number(row.week), Number(row.month)] as const,
        lastUpdatedAt: Number(row.updated_at),
      }));
      return usageView({ collections, auditEventCount: await countIn(run, EVENT_COUNT) });
    });
  }

  audit(query: ViewQuery): Promise<Page> {
    return this.#snapshot(async (run) => {
      const rows = await run<{ id: string; event: string }>(
        'select id, event from audit_events order by id desc limit $1 offset $2',
        [query.pageSize, offsetOf(query)],
      );
      const items = rows.map(({ id, event }) =>
        JSON.stringify({ ...JSON.parse(event), id: Number(id) }),
      );
      return { items, total: await countIn(run, EVENT_COUNT) };
    });
  }

  async ping(): Promise<void> {
    await this.#database.read({ name: 'ping', text: 'select 1' }, []);
  }

  #snapshot<T>(read: (run: Run) => Promise<T>): Promise<T> {
    return this.#database.transaction(read, SNAPSHOT);
  }
}

const OWNERS = "select distinct owner from account_totals where owner <> '' and records > 0";
const ACCOUNT_COUNT = `select count(*) from (${OWNERS}) o`;
const EVENT_COUNT = 'select count(*) from audit_events';

const USAGE = `
  select collection, sum(records) as records, sum(bytes) as bytes, max(updated_at) as updated_at,
    (select count(*) from records r where r.collection = t.collection and created_at > $2) as day,
    (select count(*) from records r where r.collection = t.collection and created_at > $3) as week,
    (select count(*) from records r where r.collection = t.collection and created_at > $4) as month
    from account_totals t where collection = any ($1) and records > 0 group by collection`;

const PROFILES = `
  select o.owner, r.body as profile from (${OWNERS} and owner > $1 order by 1 limit $2) o
    left join records r on r.owner = o.owner and r.collection = 'businesses' order by 1`;

async function countIn(run: Run, statement: string): Promise<number> {
  const [row] = await run<{ count: string }>(statement);
  return Number(row?.count);
}

async function summaries(run: Run, owners: readonly string[]): Promise<string[]> {
  type Row = { owner: string; collection: CollectionName; records: string };
  const rows = await run<Row>(
    'select owner, collection, records from account_totals where owner = any ($1)',
    [owners],
  );
  const totals = new Map(rows.map((row) => [`${row.collection}/${row.owner}`, row.records]));
  return owners.map((owner) => {
    const resources = byCollection((name) => Number(totals.get(`${name}/${owner}`) ?? 0));
    return JSON.stringify({
      owner_sub: fromStored(owner),
      record_count: recordCount(resources),
      resources,
    } satisfies AccountSummary);
  });
}

/** In order. `q` looks in the subject and in the account's business profiles, with the search of every host. */
async function matchingOwners(run: Run, q: string): Promise<string[]> {
  const needle = new Needle(q);
  const matching = new Set<string>();
  for (let last = ''; ; ) {
    const rows = await run<{ owner: string; profile: string | null }>(PROFILES, [
      last,
      SEARCHED_AT_ONCE,
    ]);
    for (const { owner, profile } of rows) {
      if (isIn(fromStored(owner), needle) || (profile !== null && isIn(profile, needle)))
        matching.add(owner);
    }
    last = rows.at(-1)?.owner ?? '';
    if (rows.length < SEARCHED_AT_ONCE) return [...matching];
  }
}

function isIn(text: string, needle: Needle): boolean {
  return needle.indexIn(caseFolded(text)) !== -1;
}
