// The operator's views across accounts, from the totals that each write maintains. Each page is one
// statement, so it shows one snapshot.

import type { AccountSummary, RecordCounts } from '../../core/domain/api-schema.js';
import { byCollection, COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { offsetOf } from '../../core/domain/listing.js';
import { caseFolded } from '../../core/domain/search.js';
import type { OperatorViews } from '../../core/records/record-service.js';
import type { StoredUsage } from '../../core/records/record-storage.js';
import { overviewOf, recordCount, usageView, windowStarts } from '../../core/records/usage-view.js';
import { fromStored } from './columns.js';
import type { Database } from './database.js';
import { PING, type Statement, statement } from './statements.js';

/** `counts`: only of collections in which the account has records. */
export interface CountedAccount {
  readonly owner: string;
  readonly counts: Partial<RecordCounts>;
}

export function postgresViews(database: Database): OperatorViews {
  async function pageOf<Item>(asked: Statement, values: readonly unknown[]) {
    type Row = { items: Item[] | null; total: number };
    const [row] = await database.ask<Row>(asked, values);
    return { items: row?.items ?? [], total: row?.total ?? 0 };
  }

  /** Sorted owners. Like every host, `q` searches the subject and the account's business profiles. */
  async function matchingOwners(q: string): Promise<string[]> {
    const needle = caseFolded(q);
    // Only a subject can contain U+0000: bodies escape it, and Postgres rejects it.
    const values = needle.includes('\0') ? ['\x01', null] : [needle, needle];
    type Row = { owner: string; in_profile: boolean };
    return (await database.ask<Row>(MATCHING, values))
      .filter((row) => row.in_profile || caseFolded(fromStored(row.owner)).includes(needle))
      .map(({ owner }) => owner);
  }

  return {
    async overview() {
      type Item = { collection: string; records: number };
      const { items, total } = await pageOf<Item>(OVERVIEW, []);
      const itemOf = (name: string) => items.find(({ collection }) => collection === name);
      return overviewOf(total, (name) => itemOf(name)?.records ?? 0);
    },

    async accounts(query) {
      const first = offsetOf(query);
      if (query.q === '') {
        const { items, total } = await pageOf<CountedAccount>(ACCOUNTS, [query.pageSize, first]);
        return { items: items.map(summaryText), total };
      }
      const owners = await matchingOwners(query.q);
      const page = owners.slice(first, first + query.pageSize);
      const items = await database.ask<CountedAccount>(ACCOUNTS_NAMED, [page]);
      return { items: items.map(summaryText), total: owners.length };
    },

    async usage() {
      const values = [COLLECTION_NAMES, ...windowStarts(Date.now())];
      const { items, total } = await pageOf<StoredUsage>(USAGE, values);
      return usageView({ collections: items, auditEventCount: total });
    },

    async audit(query) {
      type Item = { id: number; event: string };
      const { items, total } = await pageOf<Item>(AUDIT, [query.pageSize, offsetOf(query)]);
      const texts = items.map(({ id, event }) => JSON.stringify({ ...JSON.parse(event), id }));
      return { items: texts, total };
    },

    /** Also rejects if Postgres is read-only. */
    async ping() {
      const [row] = await database.ask<{ read_only: string }>(PING, []);
      if (row?.read_only === 'on') throw new Error('Postgres is read-only');
    },
  };
}

const view = (text: string) => statement('view', text, { isSlow: true });

/** `rows`: a sorted query. `total`: a query for the number of all rows. */
const page = (rows: string, total: string) =>
  view(`select (select json_agg(r) from (${rows}) r) as items, (${total}) as total`);

const OWNERS = "select distinct owner from account_totals where owner <> '' and records > 0";
const OWNER_COUNT = `select count(*) from (${OWNERS}) o`;
const EVENT_COUNT = 'select count(*) from audit_events';

const OVERVIEW = page(
  'select collection, sum(records) as records from account_totals group by 1',
  OWNER_COUNT,
);

const accountsIn = (owners: string) => `
  select owner, json_object_agg(collection, records) as counts from account_totals
   where owner in (${owners}) and records > 0 group by 1 order by 1`;
const ACCOUNTS = page(accountsIn(`${OWNERS} order by 1 limit $1 offset $2`), OWNER_COUNT);
/** `$1`: the owners. */
export const ACCOUNTS_NAMED = view(accountsIn('select unnest($1::text[])'));

const USAGE = page(
  `select collection, sum(records) as records, sum(bytes) as "payloadBytes",
    max(updated_at) as "lastUpdatedAt", (
      select json_build_array(count(*) filter (where created_at > $2),
                              count(*) filter (where created_at > $3), count(*))
        from records r where r.collection = t.collection and created_at > $4) as "createdAfter"
    from account_totals t where collection = any ($1) and records > 0 group by collection`,
  EVENT_COUNT,
);

const AUDIT = page(
  'select id, event from audit_events order by id desc limit $1 offset $2',
  EVENT_COUNT,
);

/**
 * `$1`: the folded needle, `$2`: the same, or null if no body can contain it. Includes every owner that
 * might match, because Postgres folds only ASCII the way the service does.
 */
const MATCHING = view(`
  select owner, in_profile from (${OWNERS}) o, lateral (
      select exists (select from records r where r.owner = o.owner and r.collection = 'businesses'
        and strpos(coalesce(r.folded, lower(r.body)), $2) > 0) as in_profile) p
   where in_profile or strpos(lower(owner), $1) > 0 or owner ~ '[^\\x02-\\x7f]' order by 1`);

const summaryText = ({ owner, counts }: CountedAccount) =>
  JSON.stringify(summaryOf(fromStored(owner), counts));

export function summaryOf(owner: string, counts: CountedAccount['counts']): AccountSummary {
  const resources = byCollection((name) => counts[name] ?? 0);
  return { owner_sub: owner, record_count: recordCount(resources), resources };
}
