// What is read of one account: pages of a list, the payments, the operator's page of the account.

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
  /** Resolves in the account's next slice of the thread, if this one is used. */
  readonly giveWay: (account: string, isGone: () => boolean) => Promise<void> | undefined;
  /** Of each account's statements on the quick and on the slow connections, and of a record's changes. */
  readonly lanes: { readonly quick: Lanes; readonly slow: Lanes; readonly changes: Lanes };
  readonly limits: AccountLimits;
  /** Of these limits. */
  readonly writes: sql.WriteStatements;
  readonly log: Log;
  readonly isLogged: (event: AuditEvent) => boolean;
  readonly events: ServiceEvents | undefined;
}

interface Piece {
  readonly position: number;
  readonly body: string;
  /** Of the collection. */
  readonly records: number | null;
}

export class AccountViews {
  protected readonly context: AccountContext;
  protected readonly owner: string;
  /** The owner as it is stored. */
  protected readonly key: string;
  protected readonly sender: Sender | undefined;

  constructor(context: AccountContext, owner: string, sender: Sender | undefined) {
    this.context = context;
    this.owner = owner;
    this.key = toStored(owner);
    this.sender = sender;
  }

  async list(collection: CollectionName, query: ListQuery): Promise<RowsPage> {
    // JSON spells U+0000, and Postgres takes none.
    if (query.q.includes('\0')) return { items: [], total: 0 };
    const values: unknown[] = [this.key, collection, query.pageSize, offsetOf(query)];
    const statement = this.#listing(query, values);
    const [row] = await this.ask<{ records: number; body: string | null }>(statement, values);
    const body = row?.body ?? '';
    const items = body.includes('\x1e') ? this.#withLong(collection, body) : body ? [body] : [];
    return { items, total: row?.records ?? 0 };
  }

  /** The statement of the query, whose filters it adds to `values`. */
  #listing({ q, status }: ListQuery, values: unknown[]): sql.Statement {
    if (q === '' && status === '') return sql.LIST;
    values.push(status === '' ? null : statusColumn(status));
    if (q === '') return sql.LIST_OF_STATUS;
    const needle = caseFolded(q);
    values.push(needle, `%${needle.replace(/[\\%_]/g, '\\$&')}%`);
    return sql.SEARCH;
  }

  /** One long body at a time; what was deleted since is left out. */
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

  /** A text for each record, newest first. What fits into the first piece is of one moment. */
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
    // A long one may wait long for its turn.
    request = statement.isSlow ? undefined : attempts(),
  ): Promise<readonly Row[]> {
    const { lanes, database } = this.context;
    const lane = statement.isSlow ? lanes.slow : lanes.quick;
    return lane.take(this.key, () => database.ask<Row>(statement, values, request));
  }
}
