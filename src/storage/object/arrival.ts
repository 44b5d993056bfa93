// An account that is being moved into its object. Its records come in pieces. They lie
// in the table that they belong in, but nobody serves them until all of them are there
// and their digest is the announced one. The table `arrival` exists until then.

import type { CollectionName } from '../../domain/collection-name.js';
import type { RowsPiece } from '../move/move-messages.js';
import {
  type AccountContents,
  type AnnouncedAccount,
  ContentsDigest,
  type MovedRow,
  PIECE_MAX_CHARACTERS,
  PIECE_MAX_ROWS,
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
const ROWS = `
  select position, collection, id, body, created_at, updated_at from records
   where position > ?1 order by position`;

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
  const rows: MovedRow[] = [];
  let last = position;
  let characters = 0;
  for (const row of sql.exec<StoredRow>(ROWS, position)) {
    characters += row.body.length;
    const isFull = rows.length >= PIECE_MAX_ROWS || characters > PIECE_MAX_CHARACTERS;
    if (isFull && rows.length > 0) return { rows, last, isLast: false };
    const collection = row.collection as CollectionName;
    rows.push([collection, row.id, row.body, row.created_at, row.updated_at]);
    last = row.position;
  }
  return { rows, last, isLast: true };
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

interface StoredRow extends SqlRow {
  readonly position: number;
  readonly collection: string;
  readonly id: string;
  readonly body: string;
  readonly created_at: number;
  readonly updated_at: number;
}
