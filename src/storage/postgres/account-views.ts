// What is read of one account: pages of a list, the payments, the operator's page of the account.

import type { AuditEvent } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../../core/domain/errors.js';
import { type ListQuery, offsetOf, type RowsPage } from '../../core/domain/listing.js';
import { caseFolded } from '../../core/domain/search.js';
import type { Log } from '../../core/log.js';
import type { RecordCounts } from '../../core/operator-answers.js';
import type { AccountLimits } from '../../core/records/account-limits.js';
import type { AccountProfile, Sender } from '../../core/records/record-service.js';
import type { RecordWork } from '../../core/records/record-work.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { statusColumn, toStored } from './columns.js';
import { attempts, type Database } from './database.js';
import * as sql from './statements.js';
import type { Turns } from './turns.js';
import { summaryOf } from './views.js';

export interface AccountContext {
  readonly database: Database;
  readonly work: RecordWork;
  readonly hasSearchIndex: boolean;
  /** Resolves in the account's next slice of the thread, if this one is used. */
  readonly giveWay: (account: string, isGone: () => boolean) => Promise<void> | undefined;
  /** Of each account's requests on the quick and on the slow connections, and of a record's changes. */
  readonly turns: { readonly quick: Turns; readonly slow: Turns; readonly changes: Turns };
  readonly limits: AccountLimits;
  /** Of these limits. */
  readonly writes: sql.WriteStatements;
  readonly log: Log;
  readonly isLogged: (event: AuditEvent) => boolean;
  readonly events: ServiceEvents;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
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
    const page = [this.key, collection, query.pageSize, offsetOf(query)];
    const status = query.status === '' ? null : statusColumn(query.status);
    const [row] = await this.#page(page, status, query.q);
    const { records = 0, body = null } = row ?? {};
    const items =
      body === null ? [] : body.includes('\x1e') ? this.#withLong(collection, body) : [body];
    return { items, total: records };
  }

  #page(page: readonly unknown[], status: string | null, q: string) {
    type Row = { records: number; body: string | null };
    if (q === '') {
      return status === null
        ? this.#read<Row>(sql.LIST, page)
        : this.#read<Row>(sql.LIST_OF_STATUS, [...page, status]);
    }
    const needle = caseFolded(q);
    if (!this.context.hasSearchIndex) return this.#read<Row>(sql.SEARCH, [...page, status, needle]);
    const pattern = `%${needle.replace(/[\\%_]/g, '\\$&')}%`;
    return this.#read<Row>(sql.SEARCH_BY_INDEX, [...page, status, pattern]);
  }

  /** One long body at a time; what was deleted since is left out. */
  async *#withLong(collection: CollectionName, page: string): AsyncGenerator<string> {
    let isFirst = true;
    for (const [index, text] of page.split('\x1e').entries()) {
      const isPosition = index % 2 === 1;
      const rows = isPosition ? await this.#at(collection, text) : text.replace(/^,|,$/g, '');
      if (rows === '') continue;
      yield isFirst ? rows : `,${rows}`;
      isFirst = false;
    }
  }

  async #at(collection: CollectionName, position: string): Promise<string> {
    const values = [this.key, collection, position];
    const [row] = await this.context.database.ask<{ body: string }>(sql.AT, values);
    return row?.body ?? '';
  }

  async payments(): Promise<RowsPage> {
    const first = await this.#piece('orders');
    const { work } = this.context;
    const rows = this.#eachOf('orders', first, (order) => work.paymentRow(order, this.owner));
    return { items: rows, total: first[0]?.records ?? 0 };
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    type Row = { counts: Partial<RecordCounts> | null };
    const [row] = await this.context.database.ask<Row>(sql.COUNTS_OF, [this.key]);
    if (!row?.counts) {
      const owner = JSON.stringify(this.owner);
      return failed('NOT_FOUND', `no record is stored for the account ${owner}`);
    }
    const summary = summaryOf(this.owner, row.counts);
    const profiles = this.#eachOf('businesses', await this.#piece('businesses'), (body) => body);
    return succeeded({ summary, profiles });
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
    return this.#read<Piece>(sql.PIECE, [this.key, collection, before]);
  }

  #read<Row extends object>(statement: sql.Statement, values: readonly unknown[]) {
    const { turns, database } = this.context;
    const lane = statement.isSlow ? turns.slow : turns.quick;
    // The turn of a long one may take long.
    const request = statement.isSlow ? undefined : attempts();
    return lane.take(this.key, () => database.ask<Row>(statement, values, request));
  }
}
