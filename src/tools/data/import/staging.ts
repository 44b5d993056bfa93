// The judged rows of one import, and what became of each: one SQLite file in a temporary
// folder that only the user can enter. It is deleted when the import is complete. After a
// Ctrl-C, a crash or a network failure it stays, and the same command resumes from it.

import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { libsql } from '../../../storage/file/connection.js';
import { CommandError } from '../failures.js';

type Database = InstanceType<ReturnType<typeof libsql>>;

export interface StagedRow {
  readonly row: number;
  readonly line: number;
  /** The JSON of the request. */
  readonly body: string;
}

/** `there`: the account had an equal record before the import. */
export type RowState = 'open' | 'created' | 'there';

/** The state of an import whose rows are being sent. */
export interface Begun {
  /** Rows of the file that aren't staged because they are bad. */
  bad: number;
  /** The number of the newest record before the first row was sent. */
  newest: number;
  /** The id of the import in its audit events. */
  run: string;
}

const OWNER_ONLY_FOLDER = 0o700;
/** An abandoned file holds a shop's data: the next start deletes it. */
const KEPT_MS = 3 * 24 * 3_600_000;
const ENDINGS = ['', '-wal', '-shm', '-journal'];
const SCHEMA = `
  create table if not exists begun (fact text not null);
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

  /** `task`: what is imported, where to and how; the same task resumes. `file`: its name in messages. */
  constructor(task: object, file: string) {
    const name = createHash('sha256').update(JSON.stringify(task)).digest('hex').slice(0, 32);
    this.#path = join(ownFolder(), `${name}.db`);
    try {
      this.#database = opened(this.#path);
    } catch (error) {
      if (/locked|busy/i.test(String(error))) {
        throw new CommandError(
          `another import of ${file} is running; wait for it, or end it, then run this again`,
        );
      }
      // A power cut may have damaged it. The account shows what was imported.
      remove(this.#path);
      this.#database = opened(this.#path);
    }
  }

  /** Undefined: no row has been sent. */
  begun(): Begun | undefined {
    const found = this.#one('select fact from begun');
    return found && JSON.parse(String(found['fact']));
  }

  begin(begun: Begun): void {
    this.#run('insert into begun values (?)', JSON.stringify(begun));
  }

  /** Adds what `rows` yields, all or nothing. `content`: equal for rows that become equal records. */
  async fill(rows: AsyncIterable<Omit<StagedRow, 'row'> & { content: string }>): Promise<void> {
    this.#database.exec('begin; delete from rows');
    for await (const { line, body, content } of rows) {
      this.#run('insert into rows (line, body, content) values (?, ?, ?)', line, body, content);
    }
    this.#database.exec('commit');
  }

  /** Open rows in the order in which they are sent. */
  *open(isReversed = false): Generator<StagedRow> {
    const [next, order] = isReversed ? ['<', 'desc'] : ['>', 'asc'];
    const after = this.#prepared(
      `select row, line, body from rows where state = 'open' and row ${next} ? order by row ${order} limit 1`,
    );
    let row = isReversed ? Number.MAX_SAFE_INTEGER : 0;
    for (;;) {
      const found = after.get(row) as StagedRow | undefined;
      if (found === undefined) return;
      yield found;
      row = found.row;
    }
  }

  /** Without a state, counts all rows. */
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

  created(row: number, sequence: number): void {
    this.#run("update rows set state = 'created', sequence = ? where row = ?", sequence, row);
  }

  /** Assigns the record to an open row of that content. False if there is none, or another row has the record. */
  claim(content: string, sequence: number, state: RowState): boolean {
    const changes = this.#run(
      `update rows set state = ?, sequence = ?
        where row = (select row from rows where content = ? and state = 'open' limit 1)
          and not exists (select 1 from rows where sequence = ?)`,
      ...[state, sequence, content, sequence],
    );
    return changes > 0;
  }

  /** Unless `isDone`, the rows stay for a later run, if any were sent. */
  close(isDone: boolean): void {
    const stays = !isDone && this.begun() !== undefined;
    this.#database.close();
    if (!stays) remove(this.#path);
  }

  #one(sql: string, ...values: string[]) {
    return this.#prepared(sql).get(...values) as Readonly<Record<string, unknown>> | undefined;
  }

  #run(sql: string, ...values: (string | number)[]): number {
    return this.#prepared(sql).run(...values).changes;
  }

  #prepared(sql: string) {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

/** Locked by one process until it exits, however it exits. No fsync: a power cut does no harm, as above. */
function opened(path: string): Database {
  const database = new (libsql())(path);
  database.exec(
    `pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = off; begin immediate; ${SCHEMA} commit`,
  );
  return database;
}

/** The same for all imports of this user, whatever others write into the system's temporary folder. */
function ownFolder(): string {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `service-import-${uid}`);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (uid !== -1 && (found.uid !== uid || (found.mode & 0o077) !== 0))) {
    throw new CommandError(
      `the temporary folder ${folder} cannot be used, since other users may use it; remove it, or set TMPDIR to another folder`,
    );
  }
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > KEPT_MS) rmSync(file, { force: true });
  }
  return folder;
}

function remove(path: string): void {
  for (const ending of ENDINGS) rmSync(path + ending, { force: true });
}
