// An account that is being moved into its object. Its records come in pieces. They lie
// in the table that they belong in, but nobody serves them until all of them are there,
// and their digest is the announced one. The table `arrival` exists until then.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { RowsPiece } from '../move/move-messages.js';
import {
  type AccountContents,
  type AnnouncedAccount,
  ContentsDigest,
  type MovedRow,
  PIECE_MAX_ROWS,
  piecesOf,
} from '../move/moved-rows.js';
import { PUT_SEQUENCES } from '../records-table.js';
import { SCHEMA_STEPS } from './object-schema.js';
import type { ObjectStorage, SqlRow } from './object-storage.js';
import { migrate } from './schema-version.js';

const FIND_TABLE = "select name from sqlite_schema where type = 'table' and name = 'arrival'";
const CREATE_TABLE = 'create table arrival (owner text not null, announced text not null) strict';
const BEGIN = 'insert into arrival values (?1, ?2)';
const READ = 'select owner, announced from arrival';
const DROP_TABLE = 'drop table arrival';

/** Positions of an arrival have no gap, so the highest one is the number of rows. */
const COUNT = 'select coalesce(max(position), 0) as records from records';
const PUT = `
  insert into records (position, collection, id, body, created_at, updated_at)
  values (?1, ?2, ?3, ?4, ?5, ?6)`;
/** Where rows stand, and how large they are: reads no body. */
const MEASURE = `
  select position, octet_length(body) as size from records
   where position > ?1 order by position limit ?2`;
const ROWS = `
  select collection, id, body, created_at, updated_at from records
   where position > ?1 and position <= ?2 order by position`;

export class Arrival {
  readonly #storage: ObjectStorage;
  readonly #sql: ObjectStorage['sql'];

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
  }

  /** Whose arrival is under way, and what was announced; undefined where none is. */
  underWay(): { readonly owner: string; readonly announced: AnnouncedAccount } | undefined {
    if ([...this.#sql.exec(FIND_TABLE)].length === 0) return undefined;
    const [row] = this.#sql.exec<{ owner: string; announced: string }>(READ);
    return row && { owner: row.owner, announced: JSON.parse(row.announced) };
  }

  /** Makes the tables of an empty object; part of a transaction. */
  begin(owner: string, announced: AnnouncedAccount): void {
    migrate(this.#storage, SCHEMA_STEPS, 0);
    this.#sql.exec(CREATE_TABLE);
    this.#sql.exec(BEGIN, owner, JSON.stringify(announced));
  }

  get records(): number {
    const [row] = this.#sql.exec<{ records: number }>(COUNT);
    return row?.records ?? 0;
  }

  /** Adds all rows or none. Throws where two records have one id. */
  append(rows: readonly MovedRow[]): void {
    this.#storage.transactionSync(() => {
      let position = this.records;
      for (const [collection, id, body, createdAt, updatedAt] of rows) {
        this.#sql.exec(PUT, ++position, collection, id, body, createdAt, updatedAt);
      }
    });
  }

  /** Part of a transaction: from now on the records are the account's. */
  end({ sequences }: AnnouncedAccount): void {
    this.#sql.exec(PUT_SEQUENCES, JSON.stringify(sequences));
    this.#sql.exec(DROP_TABLE);
  }
}

/** The rows after a position, as many as fit into a piece, at least one. Needs the tables. */
export function rowsAfter({ sql }: ObjectStorage, position: number): RowsPiece {
  const measured = [...sql.exec<MeasuredRow>(MEASURE, position, PIECE_MAX_ROWS + 1)];
  const [piece = []] = piecesOf(measured, ({ size }) => size);
  const last = piece.at(-1)?.position ?? position;
  // Read to the end: a cursor that is left open locks the tables until it is collected.
  const rows = [...sql.exec<StoredRow>(ROWS, position, last)].map((row): MovedRow => {
    const collection = row.collection as CollectionName;
    return [collection, row.id, row.body, row.created_at, row.updated_at];
  });
  return { rows, last, isLast: piece.length === measured.length };
}

/** Counts and digest of all stored rows. Needs the tables, and no write meanwhile. */
export async function storedContents(storage: ObjectStorage): Promise<AccountContents> {
  const digest = new ContentsDigest();
  let position = 0;
  for (;;) {
    const { rows, last, isLast } = rowsAfter(storage, position);
    for (const row of rows) await digest.add(row);
    if (isLast) return digest.contents();
    position = last;
  }
}

interface MeasuredRow extends SqlRow {
  readonly position: number;
  readonly size: number;
}

interface StoredRow extends SqlRow {
  readonly collection: string;
  readonly id: string;
  readonly body: string;
  readonly created_at: number;
  readonly updated_at: number;
}
