// How much the file holds, of one moment, counted in pieces between which
// commits go on. If a commit is about to change a row that is not counted yet, the
// row is counted first, as it was.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { StoredTotals, StoredUsage } from '../../core/records/record-storage.js';
import type { Connection, SqlRow } from './connection.js';
import { BEGIN_USAGE, MEASURE_CHANGED, MEASURE_USAGE, OLDEST_OF_OWNER } from './file-schema.js';

/** A piece takes about 10 ms; a commit may have to wait that long. */
const PIECE_MAX_ROWS = 10_000;

/** A scan that is under way. */
interface Counting {
  readonly createdAfter: string;
  readonly maxRows: number;
  /** Rows beyond this one came after the moment. */
  readonly highest: number;
  readonly auditEventCount: number;
  /** Rows up to here are counted. */
  position: number;
  /** Positions of rows beyond `position` that are counted already. */
  readonly ahead: Set<number>;
  readonly usage: Map<string, StoredUsage>;
  failure?: unknown;
}

/** One scan at a time; the storage thread makes its calls and the commits one after the other. */
export class UsageScan {
  readonly #connection: Connection;
  #counting: Counting | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Fixes the moment. `createdAfter`: JSON array of three times, in milliseconds
   * since 1970, UTC. Rows that come later are not counted.
   */
  begin(createdAfter: string, maxRows = PIECE_MAX_ROWS): void {
    this.#counting = undefined;
    const [start] = this.#connection.rows(BEGIN_USAGE);
    this.#counting = {
      createdAfter,
      maxRows,
      highest: Number(start?.['highest']),
      auditEventCount: Number(start?.['events']),
      position: 0,
      ahead: new Set(),
      usage: new Map(),
    };
  }

  /** Counts a piece. Returns the totals after the last one, undefined before. */
  next(): StoredTotals | undefined {
    const counting = this.#counting;
    if (counting === undefined) throw new Error('the usage view is not begun');
    this.#counting = undefined;
    if (counting.failure !== undefined) throw counting.failure;
    const { position, highest, ahead, maxRows, createdAfter, usage, auditEventCount } = counting;
    const args = [position, highest, JSON.stringify([...ahead]), maxRows, createdAfter];
    const rows = this.#connection.rows(MEASURE_USAGE, args);
    if (rows.length === 0) return { collections: [...usage.values()], auditEventCount };
    addTo(usage, rows);
    counting.position = Math.max(...rows.map((row) => Number(row['last'])));
    for (const counted of ahead) if (counted <= counting.position) ahead.delete(counted);
    this.#counting = counting;
    return undefined;
  }

  /** In milliseconds since 1970, UTC; undefined where the owner has no record. Reads every record at once. */
  oldestRecordAt(owner: string): number | undefined {
    const oldest = this.#connection.value(OLDEST_OF_OWNER, [owner]);
    return oldest === null ? undefined : Number(oldest);
  }

  /**
   * To be called before a commit of these changes (JSON texts as in
   * `CommitTexts`). Never throws: a failure here fails the scan, not the commit.
   * The count is right whether or not the commit succeeds.
   */
  before(puts: string, removals: string): void {
    const counting = this.#counting;
    if (counting === undefined || counting.failure !== undefined) return;
    const { position, highest, ahead, createdAfter, usage } = counting;
    try {
      const args = [position, highest, JSON.stringify([...ahead]), puts, removals, createdAfter];
      const rows = this.#connection.rows(MEASURE_CHANGED, args);
      addTo(usage, rows);
      for (const row of rows) {
        for (const counted of JSON.parse(String(row['positions']))) ahead.add(counted);
      }
    } catch (error) {
      counting.failure = error;
    }
  }
}

/** Adds rows of `collection, records, bytes, updated_at, created_after`. */
function addTo(usage: Map<string, StoredUsage>, measures: readonly SqlRow[]): void {
  for (const measure of measures) {
    const collection = String(measure['collection']) as CollectionName;
    const [day = 0, week = 0, month = 0]: number[] = JSON.parse(String(measure['created_after']));
    const total = usage.get(collection);
    const created = total?.createdAfter ?? [0, 0, 0];
    usage.set(collection, {
      collection,
      records: (total?.records ?? 0) + Number(measure['records']),
      payloadBytes: (total?.payloadBytes ?? 0) + Number(measure['bytes']),
      createdAfter: [created[0] + day, created[1] + week, created[2] + month],
      lastUpdatedAt: Math.max(total?.lastUpdatedAt ?? 0, Number(measure['updated_at'])),
    });
  }
}
