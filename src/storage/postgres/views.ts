// The operator's views across accounts, from the totals that each write maintains. Each page is one
// statement, so it shows one snapshot.

import type { RecordCounts } from '../../core/domain/api-schema.js';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { offsetOf } from '../../core/domain/listing.js';
import { caseFolded } from '../../core/domain/search.js';
import type { OperatorViews } from '../../core/records/record-service.js';
import type { StoredUsage } from '../../core/records/record-storage.js';
import { totalsOf, usageView, windowStarts } from '../../core/records/usage-view.js';
import { fromStored } from './columns.js';
import type { Database } from './database.js';
import { defineStatement, PING, type Statement } from './statements.js';

/** `counts`: only of collections in which the account has records. */
export interface CountedAccount {
  readonly owner: string;
  readonly counts: Partial<RecordCounts>;
}

export function postgresViews(database: Database): OperatorViews {
  async function pageOf<Item>(statement: Statement, values: readonly unknown[] = []) {
    type Row = { items: Item[] | null; total: number };
    const [row] = await database.query<Row>(statement, values);
    return { items: row?.items ?? [], total: row?.total ?? 0 };
  }

  return {
    async overview() {
      const { items, total } = await pageOf<{ collection: string; records: number }>(OVERVIEW);
      const counts = items.map(({ collection, records }) => [collection, records]);
      return { tenant_count: total, ...totalsOf(Object.fromEntries(counts)) };
    },

    async accounts(query) {
      const needle = caseFolded(query.q);
      // No subject or profile contains U+0000, and Postgres rejects it.
      if (needle.includes('\0')) return { items: [], total: 0 };
      const values = [query.pageSize, offsetOf(query), needle];
      const { items, total } = await pageOf<CountedAccount>(ACCOUNTS, values);
      const texts = items.map(({ owner, counts }) =>
        JSON.stringify({ owner_sub: fromStored(owner), ...totalsOf(counts) }),
      );
      return { items: texts, total };
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

    async ping() {
      const [row] = await database.query<{ transaction_read_only: string }>(PING, []);
      if (row?.transaction_read_only === 'on') throw new Error('Postgres is read-only');
    },
  };
}

const view = defineStatement('view', { isSlow: true });

/** `rows`: a sorted query. `total`: a query for the number of all rows. */
const page = (rows: string, total: string) =>
  view`select (select json_agg(r) from (${rows}) r) as items, (${total}) as total`;

const OWNERS = "select distinct owner from account_totals where owner <> '' and records > 0";
const EVENT_COUNT = 'select count(*) from audit_events';

const OVERVIEW = page(
  'select collection, sum(records) as records from account_totals group by 1',
  `select count(*) from (${OWNERS}) o`,
);

const accountsIn = (owners: string) => `
  select owner, json_object_agg(collection, records) as counts from account_totals
   where owner in (${owners}) and records > 0 group by 1 order by 1`;
/** `$1`: the owner. */
export const ACCOUNT = view`${accountsIn('$1')}`;

/** If `updated_at` of the totals is negative, it is an upper bound, and the account's records are read. */
const USAGE = page(
  `select collection, records, bytes as "payloadBytes",
    greatest(latest, (
      select max(r.updated_at) from account_totals s join records r using (owner, collection)
       where s.collection = t.collection and s.records > 0 and -s.updated_at > t.latest)) as "lastUpdatedAt",
    (select json_build_array(count(*) filter (where created_at > $2),
                             count(*) filter (where created_at > $3), count(*))
       from records r where r.collection = t.collection and created_at > $4) as "createdAfter"
    from (select collection, sum(records) as records, sum(bytes) as bytes, max(updated_at) as latest
      from account_totals where collection = any ($1) and records > 0 group by 1) t`,
  EVENT_COUNT,
);

const AUDIT = page(
  'select id, event from audit_events order by id desc limit $1 offset $2',
  EVENT_COUNT,
);

/**
 * `$3`: the folded needle, or empty. Searches the subject and, as on every host, the account's business
 * profiles. Postgres' own `lower` folds only ASCII ("C" collation); ICU folds as `caseFolded` does, except
 * letters newer than its release. Encoded characters of a subject are left out.
 */
const ACCOUNTS = view`
  with found as materialized (select owner from (${OWNERS}) o
    where $3 = '' or strpos(replace(lower(regexp_replace(owner, E'\x01[0-9a-f]{4}', E'\x01', 'g')
        collate "und-x-icu"), 'ς', 'σ'), $3) > 0
      or exists (select from records r where r.owner = o.owner and r.collection = 'businesses'
        and strpos(coalesce(r.folded, lower(r.body)), $3) > 0))
  select (select count(*) from found) as total, (select json_agg(r) from (
    ${accountsIn('select owner from found order by 1 limit $1 offset $2')}) r) as items`;
