// How much the file holds, of one moment, counted in pieces between which commits continue. If a
// commit is about to change a row that is not counted yet, the row is counted first, as it was.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { StoredTotals, StoredUsage } from '../../core/records/record-storage.js';
import type { Connection, SqlRow } from './connection.js';
import { BEGIN_USAGE, MEASURE_CHANGED, MEASURE_USAGE } from './file-schema.js';

/** A piece takes about 10 ms; a commit may have to wait that long. */
const PIECE_MAX_ROWS = 10_000;

interface Counting {
  /** JSON array of three times, in milliseconds since 1970, UTC. */
  readonly times: string;
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

/** One scan at a time. */
export class UsageScan {
  readonly #connection: Connection;
  #counting: Counting | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Fixes the moment. */
  begin(times: string, maxRows = PIECE_MAX_ROWS): void {
    const [start] = this.#connection.rows(BEGIN_USAGE);
    const [highest, auditEventCount] = [Number(start?.['highest']), Number(start?.['events'])];
    const fresh = { position: 0, ahead: new Set<number>(), usage: new Map() };
    this.#counting = { times, maxRows, highest, auditEventCount, ...fresh };
  }

  /** Counts a piece. Returns the totals after the last one, undefined before. */
  next(): StoredTotals | undefined {
    const counting = this.#counting;
    if (counting === undefined) throw new Error('the usage view is not begun');
    this.#counting = undefined;
    if (counting.failure !== undefined) throw counting.failure;
    const rows = this.#count(counting, MEASURE_USAGE, counting.maxRows);
    const { ahead, usage, auditEventCount } = counting;
    if (rows.length === 0) return { collections: [...usage.values()], auditEventCount };
    counting.position = Math.max(...rows.map((row) => Number(row['last'])));
    for (const counted of ahead) if (counted <= counting.position) ahead.delete(counted);
    this.#counting = counting;
    return undefined;
  }

  /** To be called before each commit, with its texts. Never throws: a failure fails the scan, not the commit. */
  before(puts: string, removals: string): void {
    const counting = this.#counting;
    if (counting === undefined) return;
    try {
      for (const row of this.#count(counting, MEASURE_CHANGED, puts, removals)) {
        for (const counted of JSON.parse(String(row['positions']))) counting.ahead.add(counted);
      }
    } catch (error) {
      counting.failure = error;
    }
  }

  #count(
    { times, position, highest, ahead, usage }: Counting,
    sql: string,
    ...args: (string | number)[]
  ): SqlRow[] {
    const uncounted = [position, highest, JSON.stringify([...ahead])];
    const rows = this.#connection.rows(sql, [times, ...uncounted, ...args]);
    for (const row of rows) add(usage, row);
    return rows;
  }
}

function add(usage: Map<string, StoredUsage>, row: SqlRow): void {
  const collection = String(row['collection']) as CollectionName;
  const before = usage.get(collection);
  const [first, second, third] = before?.createdAfter ?? [0, 0, 0];
  usage.set(collection, {
    collection,
    records: (before?.records ?? 0) + Number(row['records']),
    payloadBytes: (before?.payloadBytes ?? 0) + Number(row['bytes']),
    createdAfter: [
      first + Number(row['first']),
      second + Number(row['second']),
      third + Number(row['third']),
    ],
    lastUpdatedAt: Math.max(before?.lastUpdatedAt ?? 0, Number(row['updated'])),
  });
}
