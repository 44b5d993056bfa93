// Accounts on their way between a file and a fleet's database, while no process of the fleet runs.
// An account arrives in one transaction: it is there whole, or not at all.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { Sequences } from '../../core/records/record-storage.js';
import type {
  EventPlace,
  KnownAccounts,
  LeavingEvents,
  LeavingPiece,
  MovedEvent,
  MovedState,
} from '../move/move-messages.js';
import {
  type AccountContents,
  type AnnouncedAccount,
  ContentsDigest,
  type MovedRow,
  PIECE_MAX_CHARACTERS,
  PIECE_MAX_ROWS,
} from '../move/moved-rows.js';
import { startSequences } from './first-rows.js';
import { FleetTable } from './fleet-table.js';
import { type Connection, isRefusal, type PostgresPool } from './postgres-pool.js';
import { prepareSchema } from './postgres-schema.js';
import { shardOf } from './shards.js';
import { fromStored, toStored } from './stored-text.js';

/** An account of the same shard may be on its way, and is waited for. */
const ANSWER_MAX_MS = 600_000;
const EVENTS_PAGE_ROWS = 100;

/** The account cannot arrive, and could not the next time either. The message says why. */
export class CannotArrive extends Error {}

export class MovedAccounts {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Makes the tables and an index for the move. Rejects where a process of the fleet runs. */
  async begin(): Promise<void> {
    await prepareSchema(this.#pool, async () => {});
    const table = new FleetTable(this.#pool);
    const living = await table.living();
    if (living.length > 0) {
      throw new CannotArrive(
        `${living.length} processes of the fleet run, such as ${living[0]?.url}; stop all of them for the move`,
      );
    }
    for (const { id, beats } of (await table.state()).processes) await table.expel(id, beats);
    await this.#run(
      'create index if not exists records_by_account on records (shard, owner, position)',
    );
  }

  /** Takes away the index of the move. */
  async end(): Promise<void> {
    await this.#run('drop index if exists records_by_account');
  }

  /** No id of these numbers is given to another record. */
  async raise(sequences: Sequences): Promise<void> {
    await this.#pool.transaction((connection) => startSequences(connection, sequences));
  }

  /** In order of subjects. */
  known(): Promise<KnownAccounts['accounts']> {
    return this.#pool.snapshot(async (connection) => {
      type Row = { owner: string; records: string };
      const { rows } = await connection.run<Row>(KNOWN, [], ANSWER_MAX_MS);
      const shards = (await connection.run<{ commits: string }>(COMMITS)).rows;
      return rows.map(({ owner: stored, records }) => {
        const owner = fromStored(stored);
        const revision = Number(shards[shardOf(owner)]?.commits);
        return { owner, records: Number(records), revision };
      });
    });
  }

  /**
   * Resolves with how many of the rows are new: all or none. Rejects with `CannotArrive` where the
   * account has other records, where an id is taken, or where a process of the fleet has begun.
   */
  arrive(
    owner: string,
    announced: AnnouncedAccount,
    pieces: Iterable<readonly MovedRow[]>,
  ): Promise<number> {
    return this.#pool.transaction(async (connection) => {
      const shard = shardOf(owner);
      const { rows } = await connection.run(HOLD, [shard], ANSWER_MAX_MS);
      if (rows.length === 0) {
        throw new CannotArrive('a process of the fleet has been started; stop it for the move');
      }
      const account = [shard, toStored(owner)];
      const found = await contentsIn(connection, owner);
      if (found.digest === announced.digest) return 0;
      if (found.records > 0) throw new CannotArrive('the account has other records there');
      for (const piece of pieces) {
        await connection.run(PUT, [...account, ...columnsOf(piece)]).catch(explainTaken);
      }
      const arrived = await contentsIn(connection, owner);
      if (arrived.digest !== announced.digest) {
        throw new CannotArrive('the digest of what arrived differs from that of the file');
      }
      await connection.run(COUNT, account);
      return arrived.records;
    });
  }

  state(owner: string): Promise<MovedState> {
    return this.#pool.snapshot(async (connection) => {
      const contents = await contentsIn(connection, owner);
      const state = contents.records > 0 ? 'whole' : 'none';
      return { ...contents, ...(await placeOf(connection, owner)), state, taken: 0 };
    });
  }

  /** Rows after the position. */
  piece(owner: string, after: number): Promise<LeavingPiece> {
    return this.#pool.snapshot(async (connection) => {
      const rows = await pieceIn(connection, owner, after);
      return {
        rows: rows.map(movedRow),
        last: Number(rows.at(-1)?.position ?? after),
        isLast: rows.length === 0,
        ...(await placeOf(connection, owner)),
      };
    });
  }

  /** In the order in which the log has them. */
  async events({ id }: EventPlace): Promise<LeavingEvents> {
    type Row = { id: string; event: string };
    const { rows } = await this.#run<Row>(EVENTS, [id, EVENTS_PAGE_ROWS]);
    return {
      events: rows.map(({ event }) => event),
      names: rows.map(() => null),
      last: { timestamp: '', id: Number(rows.at(-1)?.id ?? id) },
      isLast: rows.length < EVENTS_PAGE_ROWS,
    };
  }

  /** Resolves with how many of these the log has then. */
  async takeEvents(events: readonly MovedEvent[]): Promise<number> {
    const names = events.map(({ owner, epoch, number }) => JSON.stringify([owner, epoch, number]));
    await this.#run(TAKE_EVENTS, [names, events.map(({ event }) => event)]);
    const { rows } = await this.#run<{ count: string }>(COUNT_EVENTS, [names]);
    return Number(rows[0]?.count);
  }

  #run<Row extends object>(statement: string, values: readonly unknown[] = []) {
    return this.#pool.run<Row>(statement, values, ANSWER_MAX_MS);
  }
}

interface PieceRow {
  readonly position: string;
  readonly collection: CollectionName;
  readonly id: string;
  readonly body: string;
  readonly created_at: string;
  readonly updated_at: string;
}

async function pieceIn(connection: Connection, owner: string, after: number) {
  const values = [shardOf(owner), toStored(owner), after, PIECE_MAX_ROWS, PIECE_MAX_CHARACTERS];
  return (await connection.run<PieceRow>(PIECE, values, ANSWER_MAX_MS)).rows;
}

function movedRow({ collection, id, body, created_at, updated_at }: PieceRow): MovedRow {
  return [collection, fromStored(id), body, Number(created_at), Number(updated_at)];
}

async function contentsIn(connection: Connection, owner: string): Promise<AccountContents> {
  const digest = new ContentsDigest();
  for (let after = 0; ; ) {
    const rows = await pieceIn(connection, owner, after);
    if (rows.length === 0) return digest.contents();
    for (const row of rows) await digest.add(movedRow(row));
    after = Number(rows.at(-1)?.position);
  }
}

/** Of its shard: how often it was written to, and the highest numbers that any shard has given. */
async function placeOf(connection: Connection, owner: string) {
  type Row = { revision: string; sequences: Sequences | null };
  const { rows } = await connection.run<Row>(PLACE, [shardOf(owner)]);
  return { revision: Number(rows[0]?.revision), sequences: rows[0]?.sequences ?? {} };
}

function columnsOf(rows: readonly MovedRow[]): unknown[][] {
  return [
    rows.map(([collection]) => collection),
    rows.map(([, id]) => toStored(id)),
    rows.map(([, , body]) => body),
    rows.map(([, , body]) => Buffer.byteLength(body)),
    rows.map(([, , , createdAt]) => createdAt),
    rows.map(([, , , , updatedAt]) => updatedAt),
  ];
}

function explainTaken(error: unknown): never {
  if (!isRefusal(error) || !/records_by_id/.test(String(error))) throw error;
  throw new CannotArrive(
    'another account there has a record with an id of this one; ids are unique in the database',
    { cause: error },
  );
}

const KNOWN = `
  select owner, sum(records) as records from account_totals where owner <> ''
   group by 1 order by owner collate "C"`;

const COMMITS = 'select commits from shards order by shard';

/** A process that would take the shard waits; one that has it leaves no row here. */
const HOLD =
  'update shards set commits = commits + 1 where shard = $1 and holder is null returning shard';

/** Behind the last row of the shard. */
const PUT = `
  insert into records (shard, owner, position, collection, id, body, bytes, created_at, updated_at)
  select $1, $2, p.number + (select coalesce(max(position), 0) from records where shard = $1),
         p.collection, p.id, p.body, p.bytes, p.created_at, p.updated_at
    from unnest($3::text[], $4::text[], $5::text[], $6::integer[], $7::bigint[], $8::bigint[])
         with ordinality as p (collection, id, body, bytes, created_at, updated_at, number)`;

const COUNT = `
  insert into account_totals (owner, collection, records, bytes)
  select owner, collection, count(*), sum(bytes) from records
   where shard = $1 and owner = $2 group by 1, 2`;

/** One row, or as many as are together within the characters; a length in UTF-8 is never less. */
const PIECE = `
  select position, collection, id, body, created_at, updated_at
    from (select p.*, sum(bytes) over (order by position) as total
            from (select * from records where shard = $1 and owner = $2 and position > $3
                   order by position limit $4) p) q
   where total <= $5 or total = bytes order by position`;

const PLACE = `
  select commits as revision,
         (select json_object_agg(collection, highest)
            from (select collection, max(highest) as highest from sequences group by 1) h
         ) as sequences
    from shards where shard = $1`;

const EVENTS = 'select id, event from audit_events where id > $1 order by id limit $2';

const TAKE_EVENTS = `
  insert into audit_events (name, event)
  select name, event from unnest($1::text[], $2::text[]) with ordinality as e (name, event, number)
   order by number
  on conflict (name) where name is not null do nothing`;

const COUNT_EVENTS = 'select count(*) from audit_events where name = any ($1::text[])';
