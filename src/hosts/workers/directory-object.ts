// The directory answers the operator's views across accounts. Accounts deliver
// their state to it (outbox.ts); requests for records never pass through it.

import { DurableObject } from 'cloudflare:workers';
import type {
  AccountSummary,
  Overview,
  RecordCounts,
  Usage,
} from '../../core/domain/api-schema.js';
import { byCollection, isCollectionName } from '../../core/domain/collection-name.js';
import { HOUR_MS } from '../../core/domain/hour.js';
import { offsetOf } from '../../core/domain/listing.js';
import { SAMPLE_OWNER } from '../../core/domain/sample-records.js';
import { caseFolded } from '../../core/domain/search.js';
import type { ViewQuery } from '../../core/records/record-service.js';
import type { StoredUsage } from '../../core/records/record-storage.js';
import {
  overviewOf,
  recordCount,
  USAGE_WINDOWS_HOURS,
  usageView,
} from '../../core/records/usage-view.js';
import { PIECE_MAX_ROWS, piecesOf as textPieces } from '../../storage/dump/dumped-rows.js';
import type {
  EventCursor,
  KnownAccounts,
  LeavingEvents,
  NamedEvent,
} from '../../storage/dump/worker-messages.js';
import type { SqlRow } from '../../storage/object/object-storage.js';
import { migrate, schemaVersion } from '../../storage/object/object-storage.js';
import type { Delivery, DirectoryStub, Receipt } from './account-call.js';
import { consoleLog } from './console-log.js';
import * as sql from './directory-schema.js';
import { accountSettings, accountStub, type WorkerEnvironment } from './environment.js';
import { type SentPage, sentPage } from './sent-page.js';

/** The platform's rows have at most 2 MB, so longer texts are stored in pieces. */
const PIECE_CHARACTERS = 500_000;
/** Neighbouring pieces overlap by this much, so that every `q` is whole in one of them. No URL can contain a longer `q`. */
const OVERLAP_CHARACTERS = 20_000;

export class DirectoryObject extends DurableObject<WorkerEnvironment> implements DirectoryStub {
  readonly #log = consoleLog();

  constructor(...[ctx, env]: ConstructorParameters<typeof DurableObject<WorkerEnvironment>>) {
    super(ctx, env);
    const { storage } = ctx;
    const version = schemaVersion(storage, sql.FIRST_TABLE);
    storage.transactionSync(() => migrate(storage, sql.SCHEMA_STEPS, version));
  }

  /** Applies a delivery unless its revision is older than the known one. A repeated or late delivery changes nothing. */
  async apply(delivery: Delivery): Promise<Receipt> {
    return this.ctx.storage.transactionSync(() => {
      const { owner, revision, counts, holdings } = delivery;
      const [known] = this.#rows<KnownRow>(sql.FIND_ACCOUNT, owner);
      if (known !== undefined && revision < known.revision) return { revision: known.revision };
      this.#appendEvents(delivery.events.map((event) => ({ owner, ...event })));
      const held = byCollection((name) => ({ own: counts[name], ...holdings[name] }));
      this.#rows(sql.PUT_HOLDINGS, owner, JSON.stringify(held));
      if (delivery.searchTexts !== undefined) this.#takeSearchTexts(delivery, delivery.searchTexts);
      this.#rows(sql.PUT_ACCOUNT, owner, caseFolded(owner), revision, recordCount(counts));
      return { revision };
    });
  }

  async overview(): Promise<Overview> {
    await this.#knowSamples();
    const [count] = this.#rows<{ tenants: number }>(sql.COUNT_TENANTS);
    const rows = this.#rows<TotalsRow>(sql.READ_TOTALS);
    return overviewOf(
      count?.tenants ?? 0,
      (name) => rows.find(({ collection }) => collection === name)?.records ?? 0,
    );
  }

  async accounts(query: ViewQuery): Promise<SentPage> {
    await this.#knowSamples();
    const q = caseFolded(query.q);
    const [count] = this.#rows<{ total: number }>(sql.COUNT_ACCOUNTS, q);
    const rows = this.#rows<AccountRow>(sql.LIST_ACCOUNTS, q, query.pageSize, offsetOf(query));
    const items = rows.map((row) => JSON.stringify(summaryOf(row)));
    return sentPage({ items, total: count?.total ?? 0 });
  }

  async usage(): Promise<Usage> {
    await this.#knowSamples();
    const hour = Math.floor(Date.now() / HOUR_MS);
    const since = USAGE_WINDOWS_HOURS.map((hours) => hour - hours);
    const created = this.#rows<CreatedRow>(sql.SUM_CREATED, ...since);
    const sums = this.#rows<TotalsRow>(sql.READ_TOTALS);
    const [events] = this.#rows<{ total: number }>(sql.COUNT_EVENTS);
    const collections = sums.flatMap((held): StoredUsage[] => {
      if (!isCollectionName(held.collection)) return [];
      const lately = created.find(({ collection }) => collection === held.collection);
      const { after_first = 0, after_second = 0, after_third = 0 } = lately ?? {};
      return [
        {
          collection: held.collection,
          records: held.records,
          payloadBytes: held.payload_bytes,
          createdAfter: [after_first, after_second, after_third],
          lastUpdatedAt: held.updated_at,
        },
      ];
    });
    return usageView({ collections, auditEventCount: events?.total ?? 0 });
  }

  async audit(query: ViewQuery): Promise<SentPage> {
    const [count] = this.#rows<{ total: number }>(sql.COUNT_EVENTS);
    const rows = this.#rows<{ event: string }>(sql.LIST_EVENTS, query.pageSize, offsetOf(query));
    return sentPage({ items: rows.map(({ event }) => event), total: count?.total ?? 0 });
  }

  async ping(): Promise<void> {
    this.#rows(sql.LOOK);
  }

  /** Removes an account, except for its audit events: they record the operator's actions. */
  async forget(owner: string): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      for (const remove of [sql.REMOVE_HOLDINGS, sql.REMOVE_SEARCH_TEXTS, sql.REMOVE_ACCOUNT]) {
        this.#rows(remove, owner);
      }
    });
  }

  async knownAccounts(after: string): Promise<KnownAccounts> {
    const rows = this.#rows<{ owner: string }>(sql.LIST_KNOWN, after, PIECE_MAX_ROWS + 1);
    const [piece = []] = textPieces(rows, ({ owner }) => owner.length);
    return { owners: piece.map(({ owner }) => owner), isLast: piece.length === rows.length };
  }

  async takeEvents(events: readonly NamedEvent[]): Promise<number> {
    return this.ctx.storage.transactionSync(() => {
      this.#appendEvents(events);
      const found = events.flatMap(({ owner, epoch, number }) =>
        this.#rows(sql.FIND_NAMED, owner, epoch, number),
      );
      return found.length;
    });
  }

  async eventsAfter({ timestamp, id }: EventCursor): Promise<LeavingEvents> {
    const sizes = this.#rows<EventSize>(sql.MEASURE_EVENTS, timestamp, id, PIECE_MAX_ROWS + 1);
    const [piece = []] = textPieces(sizes, ({ size }) => size);
    const events = this.#rows<EventRow>(sql.EVENTS_AFTER, timestamp, id, piece.length);
    const last = piece.at(-1) ?? { timestamp, id };
    return {
      events,
      last: { timestamp: last.timestamp, id: last.id },
      isLast: piece.length === sizes.length,
    };
  }

  /** Asks the sample account for its state, so that a new deployment shows it before its first request. */
  async #knowSamples(): Promise<void> {
    if (!accountSettings(this.env).seedsSamples) return;
    if (this.#rows(sql.FIND_ACCOUNT, SAMPLE_OWNER).length > 0) return;
    try {
      const delivery = await accountStub(this.env, SAMPLE_OWNER).announce(SAMPLE_OWNER);
      if (delivery !== undefined) await this.apply(delivery);
    } catch (error) {
      this.#log.error('sample_account_unavailable', error);
    }
  }

  /** Those that the log doesn't have. They are compared by epoch and number, because after a restore another event may have the same number. */
  #appendEvents(events: readonly NamedEvent[]): void {
    for (const { owner, epoch, number, event } of events) {
      this.#rows(sql.APPEND_EVENT, event, owner, epoch, number);
    }
  }

  #takeSearchTexts({ owner }: Delivery, texts: readonly string[]): void {
    this.#rows(sql.REMOVE_SEARCH_TEXTS, owner);
    let number = 0;
    for (const text of texts) {
      for (const piece of piecesOf(text)) this.#rows(sql.PUT_SEARCH_TEXT, owner, number++, piece);
    }
  }

  #rows<Row extends SqlRow>(statement: string, ...bindings: (string | number)[]): Row[] {
    return this.ctx.storage.sql.exec<Row>(statement, ...bindings).toArray();
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start === 0 || start + OVERLAP_CHARACTERS < text.length; ) {
    yield text.slice(start, start + PIECE_CHARACTERS);
    start += PIECE_CHARACTERS - OVERLAP_CHARACTERS;
  }
}

function summaryOf({ owner, record_count, counts }: AccountRow): AccountSummary {
  const own: Partial<RecordCounts> = JSON.parse(counts);
  return { owner_sub: owner, record_count, resources: byCollection((name) => own[name] ?? 0) };
}

interface AccountRow extends SqlRow {
  readonly owner: string;
  readonly record_count: number;
  readonly counts: string;
}

interface CreatedRow extends SqlRow {
  readonly collection: string;
  readonly after_first: number;
  readonly after_second: number;
  readonly after_third: number;
}

interface TotalsRow extends SqlRow {
  readonly collection: string;
  readonly records: number;
  readonly payload_bytes: number;
  readonly updated_at: number;
}

interface EventSize extends SqlRow {
  readonly id: number;
  readonly timestamp: string;
  readonly size: number;
}

interface EventRow extends SqlRow {
  readonly event: string;
  readonly name: string | null;
}

interface KnownRow extends SqlRow {
  readonly revision: number;
}
