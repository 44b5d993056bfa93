// The judged rows of one import, and what became of each: one SQLite file in a temporary
// folder that only the user can enter. It is deleted when the import has ended. After a
// Ctrl-C, a crash or a lost network it stays, and the same command resumes from it.

import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { libsql } from '../../../storage/file/connection.js';
import { CommandError, systemCodeOf } from '../failures.js';

type Database = InstanceType<ReturnType<typeof libsql>>;

export interface StagedRow {
  readonly row: number;
  readonly line: number;
  /** The JSON of the request. */
  readonly body: string;
}

/**
 * - `open`: not sent.
 * - `unsure`: a record of this content, where the account has one, is this row's.
 * - `there`: the account had an equal record before the import.
 */
export type RowState = 'open' | 'unsure' | 'created' | 'there' | 'refused';

const OWNER_ONLY_FOLDER = 0o700;
/** An abandoned file holds a shop's data: the next start deletes it. */
const KEPT_MS = 3 * 24 * 3_600_000;
const ENDINGS = ['', '-wal', '-shm', '-journal'];
const SCHEMA = `
  create table if not exists facts (name text primary key, value text not null) without rowid;
  create table if not exists rows (
    row integer primary key, line integer not null, body text not null, content text not null,
    state text not null default 'open', sequence integer
  );
  create index if not exists rows_by_content on rows (content, state);
  create index if not exists rows_by_state on rows (state, row);
  create index if not exists rows_by_sequence on rows (sequence) where sequence is not null;`;

export class Staging {
  readonly #path: string;
  readonly #database: Database;
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>();

  private constructor(path: string, database: Database) {
    this.#path = path;
    this.#database = database;
  }

  /** `task`: what is imported, where to and how; the same task resumes. `file`: its name in messages. */
  static open(task: object, file: string): Staging {
    const folder = ownFolder();
    const name = createHash('sha256').update(JSON.stringify(task)).digest('hex').slice(0, 32);
    const path = join(folder, `${name}.db`);
    for (const other of readdirSync(folder)) {
      const found = statSync(join(folder, other), { throwIfNoEntry: false });
      if (found && Date.now() - found.mtimeMs > KEPT_MS)
        rmSync(join(folder, other), { force: true });
    }
    try {
      return new Staging(path, opened(path));
    } catch (error) {
      if (/locked|busy/i.test(String(error))) {
        throw new CommandError(
          `another import of ${file} is running; wait for it, or end it, then run this again`,
        );
      }
      // A power cut may have damaged it. What it knew, the account shows.
      remove(path);
      return new Staging(path, opened(path));
    }
  }

  fact(name: string): string | undefined {
    const found = this.#one('select value from facts where name = ?', name);
    return found && String(found['value']);
  }

  setFact(name: string, value: string): void {
    this.#run('insert or replace into facts values (?, ?)', name, value);
  }

  /** Adds what `rows` yields, all or nothing. `content`: equal for rows that become equal records. */
  async fill(rows: AsyncIterable<Omit<StagedRow, 'row'> & { content: string }>): Promise<void> {
    this.#database.exec('begin; delete from rows');
    try {
      for await (const { line, body, content } of rows) {
        this.#run('insert into rows (line, body, content) values (?, ?, ?)', line, body, content);
      }
      this.#database.exec('commit');
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  /** Open rows behind that one, in the order in which they are sent. */
  open(after: number, count: number, isReversed: boolean): StagedRow[] {
    const [next, order] = isReversed ? ['<', 'desc'] : ['>', ''];
    return this.#prepared(
      `select row, line, body from rows where state = 'open' and row ${next} ? order by row ${order} limit ?`,
    ).all(after, count) as StagedRow[];
  }

  /** Without a state: of all rows. */
  count(state = ''): number {
    return Number(this.#one("select count(*) as n from rows where ? in ('', state)", state)?.['n']);
  }

  /** Rows that are equal to an earlier one, and the line of the first of them. */
  equalRows(): { count: number; line: number } {
    const found = this.#one(
      `select count(*) as n, min(line) as line from rows as later
        where exists (select 1 from rows where content = later.content and row < later.row)`,
    );
    return { count: Number(found?.['n']), line: Number(found?.['line']) };
  }

  set(row: number, state: RowState, sequence: number | null = null): void {
    this.#run('update rows set state = ?, sequence = ? where row = ?', state, sequence, row);
  }

  setAll(from: RowState, to: RowState): void {
    this.#run('update rows set state = ? where state = ?', to, from);
  }

  /** Gives the record to an unsure row of that content. False if there is none, or the record is a row's already. */
  claim(content: string, sequence: number, state: RowState): boolean {
    const { changes } = this.#prepared(
      `update rows set state = ?, sequence = ?
        where row = (select row from rows where content = ? and state = 'unsure' limit 1)
          and not exists (select 1 from rows where sequence = ?)`,
    ).run(state, sequence, content, sequence);
    return changes > 0;
  }

  /** The rows stay for a later run. */
  close(): void {
    this.#database.close();
  }

  delete(): void {
    this.close();
    remove(this.#path);
  }

  #one(sql: string, ...values: (string | number)[]) {
    return this.#prepared(sql).get(...values) as Readonly<Record<string, unknown>> | undefined;
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#prepared(sql).run(...values);
  }

  #prepared(sql: string) {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

/** Held by one process until it ends, however it ends. No sync: a power cut does no harm, as above. */
function opened(path: string): Database {
  const database = new (libsql())(path);
  try {
    database.exec(
      `pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = off; begin immediate; ${SCHEMA} commit`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The same for every import of this user, whatever others may write into the system's folder. */
function ownFolder(): string {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `service-import-${uid}`);
  let reason: string | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const found = lstatSync(folder);
    const isPrivate = uid === -1 || (found.uid === uid && (found.mode & 0o077) === 0);
    if (found.isDirectory() && isPrivate) return folder;
    reason = 'other users may use it';
  } catch (error) {
    reason = systemCodeOf(error);
  }
  throw new CommandError(
    `the temporary folder ${folder} cannot be used (${reason}); remove it, or set TMPDIR to another folder`,
  );
}

function remove(path: string): void {
  for (const ending of ENDINGS) rmSync(path + ending, { force: true });
}
