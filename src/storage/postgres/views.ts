// The operator's questions across accounts, from the totals that each write maintains.

import { byCollection, COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { offsetOf, type Page } from '../../core/domain/listing.js';
import { caseFolded } from '../../core/domain/search.js';
import type { AccountSummary, Overview, RecordCounts, Usage } from '../../core/operator-answers.js';
import type { OperatorViews, ViewQuery } from '../../core/records/record-service.js';
import type { StoredUsage } from '../../core/records/record-storage.js';
import { overviewOf, recordCount, usageView, windowStarts } from '../../core/records/usage-view.js';
import { fromStored } from './columns.js';
import type { Database, Run } from './database.js';
import { PING } from './statements.js';

interface Counts {
  /** Of those that have a record. */
  readonly counts: Partial<RecordCounts> | null;
}

export class PostgresViews implements OperatorViews {
  readonly #database: Database;
  readonly #clock: () => number;

  constructor(database: Database, clock: () => number) {
    this.#database = database;
    this.#clock = clock;
  }

  overview(): Promise<Overview> {
    return this.#database.view(async (run) => {
      const [row] = await run<Counts>(
        `select json_object_agg(collection, records) as counts
           from (select collection, sum(records) as records from account_totals group by 1) t`,
      );
      return overviewOf(await countIn(run, `(${OWNERS}) o`), (name) => row?.counts?.[name] ?? 0);
    });
  }

  accounts(query: ViewQuery): Promise<Page> {
    return this.#database.view(async (run) => {
      const first = offsetOf(query);
      if (query.q !== '') {
        const owners = await matchingOwners(run, query.q);
        const page = owners.slice(first, first + query.pageSize);
        return { items: await summaries(run, page), total: owners.length };
      }
      const text = `${OWNERS} order by 1 limit $1 offset $2`;
      const page = await run<{ owner: string }>(text, [query.pageSize, first]);
      const items = await summaries(
        run,
        page.map(({ owner }) => owner),
      );
      return { items, total: await countIn(run, `(${OWNERS}) o`) };
    });
  }

  usage(): Promise<Usage> {
    return this.#database.view(async (run) => {
      const values = [COLLECTION_NAMES, ...windowStarts(this.#clock())];
      const collections = await run<StoredUsage>(USAGE, values);
      return usageView({ collections, auditEventCount: await countIn(run, 'audit_events') });
    });
  }

  audit(query: ViewQuery): Promise<Page> {
    return this.#database.view(async (run) => {
      const rows = await run<{ id: number; event: string }>(
        'select id, event from audit_events order by id desc limit $1 offset $2',
        [query.pageSize, offsetOf(query)],
      );
      const items = rows.map(({ id, event }) => JSON.stringify({ ...JSON.parse(event), id }));
      return { items, total: await countIn(run, 'audit_events') };
    });
  }

  /** Rejects, too, where Postgres takes no writes. */
  async ping(): Promise<void> {
    const [row] = await this.#database.ask<{ read_only: string }>(PING, []);
    if (row?.read_only === 'on') throw new Error('Postgres takes no writes');
  }
}

const OWNERS = "select distinct owner from account_totals where owner <> '' and records > 0";

const USAGE = `
  select collection, sum(records) as records, sum(bytes) as "payloadBytes",
    max(updated_at) as "lastUpdatedAt", (
      select json_build_array(count(*) filter (where created_at > $2),
                              count(*) filter (where created_at > $3), count(*))
        from records r where r.collection = t.collection and created_at > $4) as "createdAfter"
    from account_totals t where collection = any ($1) and records > 0 group by collection`;

/**
 * `$1`: the folded needle, `$2`: the same, or null if no body can hold it. Of owners all that may
 * match: Postgres folds ASCII alone as the service does.
 */
const MATCHING = `
  select owner, in_profile from (${OWNERS}) o, lateral (
      select exists (select from records r where r.owner = o.owner and r.collection = 'businesses'
        and strpos(coalesce(r.folded, lower(r.body)), $2) > 0) as in_profile) p
   where in_profile or strpos(lower(owner), $1) > 0 or owner ~ '[^\\x02-\\x7f]' order by 1`;

/** In order. `q` looks in the subject and in the account's business profiles, as on every host. */
async function matchingOwners(run: Run, q: string): Promise<string[]> {
  const needle = caseFolded(q);
  // Only a subject can hold U+0000: JSON spells it, and Postgres takes none.
  const values = needle.includes('\0') ? ['\x01', null] : [needle, needle];
  const rows = await run<{ owner: string; in_profile: boolean }>(MATCHING, values);
  return rows
    .filter(
      ({ owner, in_profile: isThere }) => isThere || caseFolded(fromStored(owner)).includes(needle),
    )
    .map(({ owner }) => owner);
}

async function countIn(run: Run, rows: string): Promise<number> {
  const [row] = await run<{ count: number }>(`select count(*) from ${rows}`);
  return row?.count ?? 0;
}

async function summaries(run: Run, owners: readonly string[]): Promise<string[]> {
  const rows = await run<Counts & { owner: string }>(
    `select owner, json_object_agg(collection, records) as counts
       from account_totals where owner = any ($1) group by 1 order by 1`,
    [owners],
  );
  return rows.map(({ owner, counts }) => JSON.stringify(summaryOf(fromStored(owner), counts)));
}

export function summaryOf(owner: string, counts: Partial<RecordCounts> | null): AccountSummary {
  const resources = byCollection((name) => counts?.[name] ?? 0);
  return { owner_sub: owner, record_count: recordCount(resources), resources };
}
