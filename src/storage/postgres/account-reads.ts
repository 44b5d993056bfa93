// Reads of one account: records, list pages, payments, and the operator's account page.

import { oncePerRun } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { clientClosedRequest, failed, type Outcome, succeeded } from '../../core/domain/errors.js';
import { type ListQuery, offsetOf, type RowsPage } from '../../core/domain/listing.js';
import { paymentRow } from '../../core/domain/payment.js';
import { caseFolded } from '../../core/domain/search.js';
import type { Log } from '../../core/log.js';
import type { AccountLimits } from '../../core/records/account-limits.js';
import type { AccountProfile, RequestContext } from '../../core/records/record-service.js';
import { totalsOf } from '../../core/records/usage-view.js';
import { notFound } from '../../core/records/writes.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { keyedSemaphore } from './batching.js';
import { fromStored, statusColumn, toStored } from './columns.js';
import { type Database, newAttempts } from './database.js';
import * as sql from './statements.js';
import { ACCOUNT, type CountedAccount } from './views.js';

/** An account's creates contend for its totals row, so they must not use up the connections. */
const ACCOUNT_MAX_QUICK = 6;
const ACCOUNT_MAX_SLOW = 2;

export interface PostgresOptions {
  readonly database: Database;
  /** Ends time slices of long work. */
  readonly scheduler: {
    yieldIfNeeded(account: string, isDisconnected?: () => boolean): Promise<void> | undefined;
  };
  readonly limits: AccountLimits;
  readonly log: Log;
  readonly events: ServiceEvents | undefined;
}

export type AccountContext = ReturnType<typeof contextOf>;

export const contextOf = (options: PostgresOptions) => ({
  ...options,
  semaphore: keyedSemaphore(),
  isLogged: oncePerRun(),
  writes: sql.writesWithin(options.limits),
});

/** `records`: how many the collection has. */
type NextRows = readonly { position: number; body: string; records: number | null }[];

export class AccountReads {
  protected readonly context: AccountContext;
  protected readonly owner: string;
  /** The owner, encoded for storage. */
  protected readonly key: string;
  protected readonly requestContext: RequestContext | undefined;

  constructor(context: AccountContext, owner: string, requestContext?: RequestContext) {
    this.context = context;
    this.owner = owner;
    this.key = toStored(owner);
    this.requestContext = requestContext;
  }

  async read(collection: CollectionName, id: string): Promise<Outcome<string>> {
    const found = await this.find(collection, id);
    return found === undefined ? notFound(collection, id) : succeeded(found.body);
  }

  async list(collection: CollectionName, query: ListQuery): Promise<RowsPage> {
    const { q, status, pageSize } = query;
    // JSON escapes U+0000, so no body matches it, and Postgres rejects it.
    if (q.includes('\0')) return { items: [], total: 0 };
    const values: unknown[] = [this.key, collection, pageSize, offsetOf(query)];
    if (q !== '' || status !== '') values.push(status === '' ? null : statusColumn(status));
    if (q !== '') {
      const needle = caseFolded(q);
      values.push(needle, `%${needle.replace(/[\\%_]/g, '\\$&')}%`);
    }
    const unsearched = status === '' ? sql.LIST : sql.LIST_OF_STATUS;
    const statement = q === '' ? unsearched : sql.SEARCH;
    const [row] = await this.query<{ records: number; body: string | null }>(statement, values);
    const body = row?.body ?? '';
    const items = body.includes('\x1e') ? this.#fetchLong(collection, body) : body ? [body] : [];
    return { items, total: row?.records ?? 0 };
  }

  /** Fetches long bodies one at a time; records deleted in the meantime are left out. */
  async *#fetchLong(collection: CollectionName, page: string): AsyncGenerator<string> {
    let separator = '';
    for (const [index, text] of page.split('\x1e').entries()) {
      const isId = index % 2 === 1;
      const record = isId ? await this.find(collection, fromStored(text)) : undefined;
      const rows = isId ? record?.body : text.replace(/^,|,$/g, '');
      if (!rows) continue;
      yield separator + rows;
      separator = ',';
    }
  }

  async payments(): Promise<RowsPage> {
    const first = await this.#nextRows('orders');
    const rows = this.#eachOf('orders', first, paymentRow);
    return { items: rows, total: first[0]?.records ?? 0 };
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    const [account] = await this.query<CountedAccount>(ACCOUNT, [this.key]);
    if (account === undefined) {
      const owner = JSON.stringify(this.owner);
      return failed('NOT_FOUND', `no record is stored for the account ${owner}`);
    }
    const profiles = this.#eachOf('businesses', await this.#nextRows('businesses'), (body) => body);
    return succeeded({ summary: { owner_sub: this.owner, ...totalsOf(account.counts) }, profiles });
  }

  /** One text per record, newest first. Only the records in `first` are from one snapshot. */
  async *#eachOf(
    collection: CollectionName,
    first: NextRows,
    textOf: (body: string) => string,
  ): AsyncGenerator<string> {
    let left = first[0]?.records ?? 0;
    let separator = '';
    for (let rows = first; rows.length > 0; ) {
      for (const { body } of rows) {
        await this.context.scheduler.yieldIfNeeded(this.owner, this.requestContext?.isDisconnected);
        yield separator + textOf(body);
        separator = ',';
      }
      left -= rows.length;
      rows = left > 0 ? await this.#nextRows(collection, rows.at(-1)?.position) : [];
    }
  }

  #nextRows(collection: CollectionName, before = Number.MAX_SAFE_INTEGER): Promise<NextRows> {
    return this.query(sql.NEXT_ROWS, [this.key, collection, before]);
  }

  protected async find(collection: CollectionName, id: string, attempts = newAttempts()) {
    type Stored = { body: string; version: number };
    const key = [this.key, collection, toStored(id)];
    return (await this.query<Stored>(sql.FIND, key, attempts))[0];
  }

  protected query<Row extends object>(
    statement: sql.Statement,
    values: readonly unknown[],
    // The deadline of a slow statement starts when it gets a connection slot.
    attempts = statement.isSlow ? undefined : newAttempts(),
  ): Promise<readonly Row[]> {
    const { semaphore, database } = this.context;
    const { isSlow, isWrite } = statement;
    const act = async () => {
      // Abandoned searches and writes would delay the others.
      if ((isSlow || isWrite) && this.requestContext?.isDisconnected()) throw clientClosedRequest();
      return database.query<Row>(statement, values, attempts);
    };
    // No subject has a line break.
    if (isSlow) return semaphore(`${this.key}\n`, ACCOUNT_MAX_SLOW, act);
    return semaphore(this.key, ACCOUNT_MAX_QUICK, act);
  }
}
