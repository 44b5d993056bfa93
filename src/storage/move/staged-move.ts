// What a move out of Workers has fetched so far, in a file of its own beside the new
// database, so that a move that was killed goes on. Every piece is one transaction. The
// new database is made of it in one go, once everything is there.

import { open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Client, createClient, type Row } from '@libsql/client';
import type { CollectionName } from '../../domain/collection-name.js';
import type { Sequences } from '../../records/journal.js';
import { codeOf } from '../backup/file-copy.js';
import { messageOf } from '../file/client-errors.js';
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
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Goes on with the file, or makes it. `source`: from where, as one text. Rejects with one sentence where it is of another move, or held. */
  static async open(path: string, source: string): Promise<StagedMove> {
    await open(path, 'wx', OWNER_ONLY).then(
      (file) => file.close(),
      (error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      },
    );
    const client = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
    try {
      await client.execute('pragma locking_mode = exclusive');
      await client.execute('pragma journal_mode = wal');
      await client.execute('pragma synchronous = normal');
      await client.batch(TABLES, 'write');
      const { rows } = await client.execute('select source from move');
      if (rows.length === 0) {
        await client.execute({ sql: 'insert into move values (?1, null)', args: [source] });
      } else if (rows[0]?.['source'] !== source) {
        throw new Error(
          `it is of a move from ${rows[0]?.['source']}; remove it, or go on with that`,
        );
      }
      return new StagedMove(client);
    } catch (error) {
      client.close();
      const isHeld = /SQLITE_BUSY|database is locked/i.test(messageOf(error));
      const reason = isHeld ? 'another move works on it' : messageOf(error);
      throw new Error(`the unfinished move ${path} cannot be gone on with: ${reason}`, {
        cause: error,
      });
    }
  }

  /** What the new database has, once it was checked and has only to get its name. */
  async finished(): Promise<Finished | undefined> {
    const { rows } = await this.#client.execute('select finished from move');
    const finished = rows[0]?.['finished'];
    return typeof finished === 'string' ? JSON.parse(finished) : undefined;
  }

  async finish(finished: Finished): Promise<void> {
    const args = [JSON.stringify(finished)];
    await this.#client.execute({ sql: 'update move set finished = ?1', args });
  }

  /** In order of subjects. */
  async accounts(): Promise<StagedAccount[]> {
    const { rows } = await this.#client.execute('select * from accounts order by owner');
    return rows.map(stagedAccount);
  }

  async find(owner: string): Promise<StagedAccount | undefined> {
    const sql = 'select * from accounts where owner = ?1';
    const [row] = (await this.#client.execute({ sql, args: [owner] })).rows;
    return row && stagedAccount(row);
  }

  /** Begins an account, from its first row; what was here of it is removed. */
  async begin(
    owner: string,
    revision: number,
    announced: AnnouncedAccount,
  ): Promise<StagedAccount> {
    const known = await this.find(owner);
    const remove = { sql: 'delete from rows where account = ?1', args: [known?.number ?? 0] };
    const begin = {
      sql: `insert into accounts (owner, revision, announced, position, pieces, is_whole)
            values (?1, ?2, ?3, 0, 0, 0)
            on conflict (owner) do update set revision = excluded.revision,
              announced = excluded.announced, position = 0, pieces = 0, is_whole = 0`,
      args: [owner, revision, JSON.stringify(announced)],
    };
    await this.#client.batch([remove, begin], 'write');
    const begun = await this.find(owner);
    if (begun === undefined) throw new Error('the account was not stored');
    return begun;
  }

  /** `position`: of the last of the rows, in the place that they come from. Resolves with the account as it is then. */
  async put(
    account: StagedAccount,
    rows: readonly MovedRow[],
    position: number,
  ): Promise<StagedAccount> {
    const { number } = account;
    const pieces = account.pieces + 1;
    const put = { sql: PUT_ROWS, args: [number, pieces, JSON.stringify(rows)] };
    const advance = { sql: ADVANCE, args: [number, position, pieces] };
    await this.#client.batch([put, advance], 'write');
    return { ...account, position, pieces };
  }

  async markWhole({ number }: StagedAccount): Promise<void> {
    const sql = 'update accounts set is_whole = 1 where number = ?1';
    await this.#client.execute({ sql, args: [number] });
  }

  /** An account that is not there any more. */
  async forget({ number }: StagedAccount): Promise<void> {
    const statements = [
      'delete from rows where account = ?1',
      'delete from accounts where number = ?1',
    ];
    await this.#client.batch(
      statements.map((sql) => ({ sql, args: [number] })),
      'write',
    );
  }

  /** The rows as they came, each with its new id where `renumber` has given it one. */
  async *pieces({ number, pieces }: StagedAccount): AsyncGenerator<StagedRow[]> {
    for (let piece = 1; piece <= pieces; piece++) {
      const { rows } = await this.#client.execute({ sql: ROWS_OF_PIECE, args: [number, piece] });
      yield rows.map((row) => ({
        row: movedRow(row),
        newId: row['new_id'] === null ? undefined : String(row['new_id']),
      }));
    }
  }

  async contents(account: StagedAccount): Promise<AccountContents> {
    const digest = new ContentsDigest();
    for await (const piece of this.pieces(account))
      for (const { row } of piece) await digest.add(row);
    return digest.contents();
  }

  /** Gives new ids to rows whose id an older row of another account has. Returns the highest numbers then. */
  renumber(): Promise<Sequences> {
    return renumber(this.#client);
  }

  /** By account and order of creation. */
  renumbered(): AsyncGenerator<Renumbered> {
    return renumbered(this.#client);
  }

  close(): void {
    this.#client.close();
  }
}

function stagedAccount(row: Row): StagedAccount {
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

function movedRow(row: Row): MovedRow {
  return [
    String(row['collection']) as CollectionName,
    String(row['id']),
    String(row['body']),
    Number(row['created_at']),
    Number(row['updated_at']),
  ];
}
