// Counts how much the file holds at one moment, in pieces between which commits continue. If a commit
// is about to change a row that is not counted yet, the row is counted first, as it was.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { StoredTotals, StoredUsage } from '../../core/records/record-storage.js';
import type { Connection, SqlRow } from './connection.js';
import { BEGIN_USAGE, MEASURE_CHANGED, MEASURE_USAGE } from './file-schema.js';

/** A piece takes about 10 ms; a commit may have to wait that long. */
const PIECE_ROWS = 10_000;

interface Counting {
  /** JSON array of three times, in milliseconds since 1970, UTC. */
  readonly times: string;
  /** Rows beyond this one came after the moment. */
  readonly highest: number;
  readonly auditEventCount: number;
  /** Rows up to here are counted. */
  position: number;
  /** Positions of rows beyond `position` that are counted already. */
  readonly ahead: Set<number>;
  readonly usage: Map<unknown, StoredUsage>;
}

/** One scan at a time. */
export class UsageScan {
  readonly #connection: Connection;
  readonly #pieceRows: number;
  #counting: Counting | undefined;

  constructor(connection: Connection, pieceRows = PIECE_ROWS) {
    this.#connection = connection;
    this.#pieceRows = pieceRows;
  }

  /** Counts a piece; the first call fixes the moment. Returns the totals after the last piece. */
  next(times: string): StoredTotals | undefined {
    const counting = this.#counting ?? this.#begin(times);
    this.#counting = undefined;
    const rows = this.#count(counting, MEASURE_USAGE, this.#pieceRows);
    const { usage, auditEventCount } = counting;
    if (rows.length === 0) return { collections: [...usage.values()], auditEventCount };
    counting.position = Math.max(...rows.map((row) => Number(row['last'])));
    this.#counting = counting;
    return undefined;
  }

  /** To be called before each commit, with its texts. A failure restarts the scan; it never fails the commit. */
  before(puts: string, removals: string): void {
    const counting = this.#counting;
    if (counting === undefined) return;
    try {
      for (const row of this.#count(counting, MEASURE_CHANGED, puts, removals)) {
        for (const counted of JSON.parse(String(row['positions']))) counting.ahead.add(counted);
      }
    } catch {
      this.#counting = undefined;
    }
  }

  #begin(times: string): Counting {
    const [start] = this.#connection.rows(BEGIN_USAGE);
    const [highest, auditEventCount] = [Number(start?.['highest']), Number(start?.['events'])];
    return { times, highest, auditEventCount, position: 0, ahead: new Set(), usage: new Map() };
  }

  #count(counting: Counting, sql: string, ...args: (string | number)[]): SqlRow[] {
    const { times, position, highest, ahead, usage } = counting;
    const uncounted = [position, highest, JSON.stringify([...ahead])];
    const rows = this.#connection.rows(sql, [times, ...uncounted, ...args]);
    for (const row of rows) usage.set(row['collection'], sum(row, usage.get(row['collection'])));
    return rows;
  }
}

function sum(row: SqlRow, before: StoredUsage | undefined): StoredUsage {
  const [first, second, third] = before?.createdAfter ?? [0, 0, 0];
  const after = [first + Number(row['first']), second + Number(row['second'])] as const;
  return {
    collection: String(row['collection']) as CollectionName,
    records: (before?.records ?? 0) + Number(row['records']),
    payloadBytes: (before?.payloadBytes ?? 0) + Number(row['bytes']),
    createdAfter: [...after, third + Number(row['third'])],
    lastUpdatedAt: Math.max(before?.lastUpdatedAt ?? 0, Number(row['updated'])),
  };
}
