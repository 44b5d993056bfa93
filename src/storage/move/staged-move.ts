// What a move out of Workers has fetched so far, in a file of its own beside the new
// database, so that a move that was killed goes on. Every piece is one transaction. The
// new database is made of it in one go, once everything is there.

import { open } from 'node:fs/promises';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { codeOf } from '../backup/file-copy.js';
import { Connection, type SqlRow } from '../file/connection.js';
import { messageOf } from '../file/connection-errors.js';
import {
  type AccountContents,
  type AnnouncedAccount,
  ContentsDigest,
  type MovedRow,
} from './moved-rows.js';
import { CREATE_NEW_IDS, type Renumbered, renumber, renumbered } from './renumbering.js';

const OWNER_ONLY = 0o600;

/** `account`: its number in order of subjects. `piece`: counted within the account. `number`: order of rows. */
const TABLES = [
  'create table if not exists move (source text not null, finished text)',
  `create table if not exists accounts (
     number integer primary key,
     owner text not null unique,
     revision integer not null,
     announced text not null,
     position integer not null,
     pieces integer not null,
     is_whole integer not null
   )`,
  `create table if not exists rows (
     number integer primary key,
     account integer not null,
     piece integer not null,
     collection text not null,
     id text not null,
     body text not null,
     created_at integer not null,
     updated_at integer not null
   )`,
  'create index if not exists rows_by_piece on rows (account, piece)',
  CREATE_NEW_IDS,
];

const PRAGMAS = [
  'pragma locking_mode = exclusive',
  'pragma journal_mode = wal',
  'pragma synchronous = normal',
];

const PUT_ROWS = `
  insert into rows (account, piece, collection, id, body, created_at, updated_at)
  select ?1, ?2, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
    from json_each(?3)`;
const ADVANCE = 'update accounts set position = ?2, pieces = ?3 where number = ?1';
const ROWS_OF_PIECE = `
  select collection, rows.id, body, created_at, updated_at, new_ids.id as new_id
    from rows left join new_ids on new_ids.row = rows.number
   where account = ?1 and piece = ?2 order by rows.number`;

export interface Finished {
  readonly accounts: number;
  readonly records: number;
  readonly events: number;
}

export interface StagedRow {
  readonly row: MovedRow;
  readonly newId: string | undefined;
}

export interface StagedAccount {
  readonly number: number;
  readonly owner: string;
  readonly revision: number;
  readonly announced: AnnouncedAccount;
  /** Of the last row that is here, in the place that it comes from. */
  readonly position: number;
  readonly pieces: number;
  readonly isWhole: boolean;
}

export class StagedMove {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Goes on with the file, or makes it. `source`: from where, as one text. Rejects with one sentence where it is of another move, or held. */
  static async open(path: string, source: string): Promise<StagedMove> {
    await open(path, 'wx', OWNER_ONLY).then(
      (file) => file.close(),
      (error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      },
    );
    const connection = new Connection(path);
    try {
      for (const pragma of PRAGMAS) connection.value(pragma);
      connection.batch(TABLES.map((sql) => ({ sql })));
      const known = connection.value('select source from move');
      if (known === undefined) {
        connection.batch([{ sql: 'insert into move values (?1, null)', args: [source] }]);
      } else if (known !== source) {
        throw new Error(`it is of a move from ${known}; remove it, or go on with that`);
      }
      return new StagedMove(connection);
    } catch (error) {
      connection.close();
      const isHeld = /SQLITE_BUSY|database is locked/i.test(messageOf(error));
      const reason = isHeld ? 'another move works on it' : messageOf(error);
      throw new Error(`the unfinished move ${path} cannot be gone on with: ${reason}`, {
        cause: error,
      });
    }
  }

  /** What the new database has, once it was checked and has only to get its name. */
  finished(): Finished | undefined {
    const finished = this.#connection.value('select finished from move');
    return typeof finished === 'string' ? JSON.parse(finished) : undefined;
  }

  finish(finished: Finished): void {
    const args = [JSON.stringify(finished)];
    this.#connection.batch([{ sql: 'update move set finished = ?1', args }]);
  }

  /** In order of subjects. */
  accounts(): StagedAccount[] {
    return this.#connection.rows('select * from accounts order by owner').map(stagedAccount);
  }

  find(owner: string): StagedAccount | undefined {
    const [row] = this.#connection.rows('select * from accounts where owner = ?1', [owner]);
    return row && stagedAccount(row);
  }

  /** Begins an account, from its first row; what was here of it is removed. */
  begin(owner: string, revision: number, announced: AnnouncedAccount): StagedAccount {
    const known = this.find(owner);
    const remove = { sql: 'delete from rows where account = ?1', args: [known?.number ?? 0] };
    const begin = {
      sql: `insert into accounts (owner, revision, announced, position, pieces, is_whole)
            values (?1, ?2, ?3, 0, 0, 0)
            on conflict (owner) do update set revision = excluded.revision,
              announced = excluded.announced, position = 0, pieces = 0, is_whole = 0`,
      args: [owner, revision, JSON.stringify(announced)],
    };
    this.#connection.batch([remove, begin]);
    const begun = this.find(owner);
    if (begun === undefined) throw new Error('the account was not stored');
    return begun;
  }

  /** `position`: of the last of the rows, in the place that they come from. Returns the account as it is then. */
  put(account: StagedAccount, rows: readonly MovedRow[], position: number): StagedAccount {
    const { number } = account;
    const pieces = account.pieces + 1;
    const put = { sql: PUT_ROWS, args: [number, pieces, JSON.stringify(rows)] };
    const advance = { sql: ADVANCE, args: [number, position, pieces] };
    this.#connection.batch([put, advance]);
    return { ...account, position, pieces };
  }

  markWhole({ number }: StagedAccount): void {
    const sql = 'update accounts set is_whole = 1 where number = ?1';
    this.#connection.batch([{ sql, args: [number] }]);
  }

  /** An account that is not there any more. */
  forget({ number }: StagedAccount): void {
    const args = [number];
    this.#connection.batch([
      { sql: 'delete from rows where account = ?1', args },
      { sql: 'delete from accounts where number = ?1', args },
    ]);
  }

  /** The rows as they came, each with its new id where `renumber` has given it one. */
  *pieces({ number, pieces }: StagedAccount): Generator<StagedRow[]> {
    for (let piece = 1; piece <= pieces; piece++) {
      yield this.#connection.rows(ROWS_OF_PIECE, [number, piece]).map((row) => ({
        row: movedRow(row),
        newId: row['new_id'] === null ? undefined : String(row['new_id']),
      }));
    }
  }

  async contents(account: StagedAccount): Promise<AccountContents> {
    const digest = new ContentsDigest();
    for (const piece of this.pieces(account)) for (const { row } of piece) await digest.add(row);
    return digest.contents();
  }

  /** Gives new ids to rows whose id an older row of another account has. Returns the highest numbers then. */
  renumber(): Sequences {
    return renumber(this.#connection);
  }

  /** By account and order of creation. */
  renumbered(): Generator<Renumbered> {
    return renumbered(this.#connection);
  }

  close(): void {
    this.#connection.close();
  }
}

function stagedAccount(row: SqlRow): StagedAccount {
  return {
    number: Number(row['number']),
    owner: String(row['owner']),
    revision: Number(row['revision']),
    announced: JSON.parse(String(row['announced'])),
    position: Number(row['position']),
    pieces: Number(row['pieces']),
    isWhole: row['is_whole'] === 1,
  };
}

function movedRow(row: SqlRow): MovedRow {
  return [
    String(row['collection']) as CollectionName,
    String(row['id']),
    String(row['body']),
    Number(row['created_at']),
    Number(row['updated_at']),
  ];
}
