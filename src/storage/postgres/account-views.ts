// Reads of one account: list pages, payments, and the operator's account page.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../../core/domain/errors.js';
import { type ListQuery, offsetOf, type RowsPage } from '../../core/domain/listing.js';
import { caseFolded } from '../../core/domain/search.js';
import type { Log } from '../../core/log.js';
import type { AccountLimits } from '../../core/records/account-limits.js';
import type { AccountProfile, Sender } from '../../core/records/record-service.js';
import type { RecordWork } from '../../core/records/record-work.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { statusColumn, toStored } from './columns.js';
import { attempts, type Database } from './database.js';
import type { Lanes } from './lanes.js';
import * as sql from './statements.js';
import { ACCOUNTS_NAMED, type CountedAccount, summaryOf } from './views.js';

export interface AccountContext {
  readonly database: Database;
  readonly work: RecordWork;
  /** Waits for the account's next time slice, if the current one is used up. */
  readonly giveWay: (account: string, isGone: () => boolean) => Promise<void> | undefined;
  /** Limits for an account's concurrent quick and slow statements, and for changes of one record. */
  readonly lanes: { readonly quick: Lanes; readonly slow: Lanes; readonly changes: Lanes };
  readonly limits: AccountLimits;
  /** Built for `limits`. */
  readonly writes: sql.WriteStatements;
  readonly log: Log;
  readonly isLogged: (event: AuditEvent) => boolean;
  readonly events: ServiceEvents | undefined;
}

interface Piece {
  readonly position: number;
  readonly body: string;
  /** In the collection. */
  readonly records: number | null;
}

export class AccountViews {
  protected readonly context: AccountContext;
  protected readonly owner: string;
  /** The owner, encoded for storage. */
  protected readonly key: string;
  protected readonly sender: Sender | undefined;

  constructor(context: AccountContext, owner: string, sender: Sender | undefined) {
    this.context = context;
    this.owner = owner;
    this.key = toStored(owner);
    this.sender = sender;
  }

  async list(collection: CollectionName, query: ListQuery): Promise<RowsPage> {
    // Bodies escape U+0000 and Postgres rejects it, so it can't match.
    if (query.q.includes('\0')) return { items: [], total: 0 };
    const values: unknown[] = [this.key, collection, query.pageSize, offsetOf(query)];
    const statement = this.#listing(query, values);
    const [row] = await this.ask<{ records: number; body: string | null }>(statement, values);
    const body = row?.body ?? '';
    const items = body.includes('\x1e') ? this.#withLong(collection, body) : body ? [body] : [];
    return { items, total: row?.records ?? 0 };
  }

  /** The statement for the query; appends the query's filters to `values`. */
  #listing({ q, status }: ListQuery, values: unknown[]): sql.Statement {
    if (q === '' && status === '') return sql.LIST;
    values.push(status === '' ? null : statusColumn(status));
    if (q === '') return sql.LIST_OF_STATUS;
    const needle = caseFolded(q);
    values.push(needle, `%${needle.replace(/[\\%_]/g, '\\$&')}%`);
    return sql.SEARCH;
  }

  /** Fetches long bodies one at a time; records deleted in the meantime are left out. */
  async *#withLong(collection: CollectionName, page: string): AsyncGenerator<string> {
    let border = '';
    for (const [index, text] of page.split('\x1e').entries()) {
      let rows = text.replace(/^,|,$/g, '');
      if (index % 2 === 1) {
        const [row] = await this.ask<{ body: string }>(sql.AT, [this.key, collection, text]);
        rows = row?.body ?? '';
      }
      if (rows === '') continue;
      yield border + rows;
      border = ',';
    }
  }

  async payments(): Promise<RowsPage> {
    const first = await this.#piece('orders');
    const { work } = this.context;
    const rows = this.#eachOf('orders', first, (order) => work.paymentRow(order, this.owner));
    return { items: rows, total: first[0]?.records ?? 0 };
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    const [account] = await this.ask<CountedAccount>(ACCOUNTS_NAMED, [[this.key]]);
    if (account === undefined) {
      const owner = JSON.stringify(this.owner);
      return failed('NOT_FOUND', `no record is stored for the account ${owner}`);
    }
    const profiles = this.#eachOf('businesses', await this.#piece('businesses'), (body) => body);
    return succeeded({ summary: summaryOf(this.owner, account.counts), profiles });
  }

  /** One text per record, newest first. Only records in the first piece are from one snapshot. */
  async *#eachOf(
    collection: CollectionName,
    first: readonly Piece[],
    textOf: (body: string) => string | Promise<string>,
  ): AsyncGenerator<string> {
    const isGone = this.sender?.isDisconnected ?? (() => false);
    let left = first[0]?.records ?? 0;
    let border = '';
    for (let piece = first; piece.length > 0; ) {
      for (const { body } of piece) {
        const turn = this.context.giveWay(this.owner, isGone);
        if (turn !== undefined) await turn;
        yield border + (await textOf(body));
        border = ',';
      }
      left -= piece.length;
      piece = left > 0 ? await this.#piece(collection, piece.at(-1)?.position) : [];
    }
  }

  #piece(collection: CollectionName, before = Number.MAX_SAFE_INTEGER) {
    return this.ask<Piece>(sql.PIECE, [this.key, collection, before]);
  }

  protected ask<Row extends object>(
    statement: sql.Statement,
    values: readonly unknown[],
    // Slow statements start their deadline only when they get a connection slot.
    request = statement.isSlow ? undefined : attempts(),
  ): Promise<readonly Row[]> {
    const { lanes, database } = this.context;
    const lane = statement.isSlow ? lanes.slow : lanes.quick;
    return lane.take(this.key, () => database.ask<Row>(statement, values, request));
  }
}
