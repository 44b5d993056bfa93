// What is computed over one account: the payments view, and the operator's page of the account.

import { byCollection, type CollectionName } from '../../core/domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../../core/domain/errors.js';
import type { RowsPage } from '../../core/domain/listing.js';
import { paymentRow } from '../../core/domain/payment.js';
import type { AccountProfile } from '../../core/records/record-service.js';
import { recordCount } from '../../core/records/usage-view.js';
import type { Database } from './database.js';
import { COUNT_OF, ORDERS, PROFILES, TOTALS_OF } from './statements.js';

const PAYMENTS_PAGE_ROWS = 1_000;

export interface Counted {
  /** Postgres' bigint. */
  readonly records: string;
}

interface Order {
  readonly position: string;
  readonly body: string;
}

export function pageOf(rows: readonly (Counted & { body: string | null })[]): RowsPage {
  return { items: rows.flatMap(({ body }) => body ?? []), total: Number(rows[0]?.records ?? 0) };
}

/** `key`: the owner, as it is stored. */
export async function paymentsOf(database: Database, key: string): Promise<RowsPage> {
  const [found] = await database.read<Counted>(COUNT_OF, [key, 'orders']);
  const total = Number(found?.records ?? 0);
  const first = await orders(database, key, Number.MAX_SAFE_INTEGER);
  // All of them, of one moment; else page by page, as the client reads.
  if (first.length < PAYMENTS_PAGE_ROWS)
    return { items: first.map(({ body }) => paymentRow(body)), total: first.length };
  return { items: paymentPieces(database, key, first), total };
}

async function* paymentPieces(
  database: Database,
  key: string,
  first: readonly Order[],
): AsyncGenerator<string> {
  let page = first;
  let border = '';
  while (page.length > 0) {
    yield border + page.map(({ body }) => paymentRow(body)).join(',');
    border = ',';
    const isLast = page.length < PAYMENTS_PAGE_ROWS;
    page = isLast ? [] : await orders(database, key, Number(page.at(-1)?.position));
  }
}

function orders(database: Database, key: string, before: number): Promise<readonly Order[]> {
  return database.readSlowly<Order>(ORDERS, [key, before, PAYMENTS_PAGE_ROWS]);
}

export async function profileOf(
  database: Database,
  owner: string,
  key: string,
): Promise<Outcome<AccountProfile>> {
  type Row = Counted & { collection: CollectionName };
  const totals = await database.read<Row>(TOTALS_OF, [key]);
  if (totals.length === 0)
    return failed('NOT_FOUND', `no record is stored for the account ${JSON.stringify(owner)}`);
  const resources = byCollection((name) =>
    Number(totals.find(({ collection }) => collection === name)?.records ?? 0),
  );
  const profiles = await database.read<{ body: string }>(PROFILES, [key]);
  const summary = { owner_sub: owner, record_count: recordCount(resources), resources };
  return succeeded({ summary, profiles: profiles.map(({ body }) => body) });
}
