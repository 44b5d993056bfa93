// Statements on one Postgres database. Each is a transaction of its own, so a connection is lent
// for one round trip. What the server refused is told apart from what nobody knows.

import pg from 'pg';
import { FailureError } from '../../core/domain/errors.js';
import { Gathering } from './gathering.js';
import { AlreadyStored, type Answered, type Statement, Unknown } from './statement.js';

/** "Database busy time-out": for so long a request waits for a connection, an answer, or a server that is away. */
export const ANSWER_MAX_MS = 5_000;
const AGAIN_MS = 100;
const RETRY_AFTER_SECONDS = 2;

/** The server did nothing and may do it the next time: deadlock, serialization, starting, full, or a standby by now. */
const AGAIN = /^(40001|40P01|57P03|53[0-9A-Z]{3}|25006)$/;
/** The server ends the connection, and may have stored the statement. */
const SERVER_ENDS = /^57P0[12]$/;
const UNIQUE_VIOLATION = '23505';

export interface DatabaseOptions {
  /** `postgres://…`, with `sslmode` as the operator wants it. */
  readonly url: string;
  /** Connections for statements that take a look-up or a commit. */
  readonly quick: number;
  /** Connections for searches, payments and views, so that these never take all. */
  readonly slow: number;
}

export class Database {
  readonly #quick: Connections;
  readonly #slow: Connections;
  readonly #gatherings = new Map<string, Gathering>();

  constructor({ url, quick, slow }: DatabaseOptions) {
    this.#quick = new Connections(url, quick);
    this.#slow = new Connections(url, slow);
  }

  /** Runs it again where the connection was lost. Those that wait for the same moment go together. */
  async read<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    return (await this.#gathered<Row>(statement, values, false)).rows;
  }

  async readSlowly<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    return (await this.#untilAnswered<Row>(this.#slow, statement, values, false)).rows;
  }

  /** Runs it again, too: a write is made so that this does no harm. */
  write<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    isAlone = false,
  ): Promise<Answered<Row>> {
    if (isAlone) return this.#untilAnswered<Row>(this.#quick, statement, values, true);
    return this.#gathered<Row>(statement, values, true);
  }

  /** On one connection, for the tables and the operator's views. */
  transaction<T>(act: (run: Run) => Promise<T>, begin = 'begin'): Promise<T> {
    return this.#slow.transaction(act, begin);
  }

  /** Statements that wait for a connection. */
  get waiting(): number {
    return this.#quick.waiting + this.#slow.waiting;
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  #gathered<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    isWrite: boolean,
  ): Promise<Answered<Row>> {
    const run = (one: Statement, of: readonly unknown[]) =>
      this.#untilAnswered<object>(this.#quick, one, of, isWrite);
    if (statement.together === undefined) return run(statement, values) as Promise<Answered<Row>>;
    let gathering = this.#gatherings.get(statement.name);
    if (gathering === undefined) {
      gathering = new Gathering(statement, run);
      this.#gatherings.set(statement.name, gathering);
    }
    return gathering.add(values) as Promise<Answered<Row>>;
  }

  async #untilAnswered<Row extends object>(
    connections: Connections,
    statement: Statement,
    values: readonly unknown[],
    isWrite: boolean,
  ): Promise<Answered<Row>> {
    const givenUpAt = performance.now() + ANSWER_MAX_MS;
    let wasLost = false;
    for (;;) {
      const tried = await connections.try<Row>(statement, values, givenUpAt - performance.now());
      if (tried.kind === 'answered') return { rows: tried.rows, wasLost };
      if (tried.kind === 'refused') {
        if (wasLost && isUniqueViolation(tried.error)) throw new AlreadyStored();
        throw tried.error;
      }
      wasLost ||= tried.kind === 'lost';
      if (performance.now() + AGAIN_MS >= givenUpAt) {
        throw wasLost && isWrite ? new Unknown(tried.error.message) : unavailable();
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

export type Run = <Row extends object>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

type Tried<Row> =
  | { readonly kind: 'answered'; readonly rows: readonly Row[] }
  | { readonly kind: 'refused' | 'again' | 'lost'; readonly error: Error };

class Connections {
  readonly #pool: pg.Pool;
  /** Connections with a warning since their last statement, such as that of a wait for a standby that was cut off. */
  readonly #warned = new WeakMap<pg.PoolClient, string>();

  constructor(url: string, max: number) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max,
      application_name: 'service-management-api',
      connectionTimeoutMillis: ANSWER_MAX_MS,
      keepAlive: true,
    });
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      client.on('notice', ({ severity, message }) => {
        if (severity === 'WARNING') this.#warned.set(client, message ?? '');
      });
    });
  }

  async try<Row extends object>(
    { name, text }: Statement,
    values: readonly unknown[],
    maxMs: number,
  ): Promise<Tried<Row>> {
    const givenUpAt = performance.now() + maxMs;
    let client: pg.PoolClient;
    try {
      client = await this.#connected(maxMs);
    } catch (error) {
      return { kind: 'again', error: error as Error };
    }
    try {
      const query = {
        name,
        text,
        values: values as unknown[],
        query_timeout: Math.max(1, Math.ceil(givenUpAt - performance.now())),
      };
      const { rows } = await client.query<Row>(query);
      const warning = this.#warned.get(client);
      if (warning === undefined) {
        client.release();
        return { kind: 'answered', rows };
      }
      client.release(true);
      return { kind: 'lost', error: new Error(`Postgres does not confirm it: ${warning}`) };
    } catch (thrown) {
      const error = thrown as Error;
      const kind = kindOf(error);
      // A server that is a standby by now, or ends, is left.
      client.release(kind !== 'refused');
      return { kind, error };
    }
  }

  /** The pool's own time-out is the same for every caller; one that has waited before has less left. */
  async #connected(maxMs: number): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, maxMs, undefined);
    });
    const client = await Promise.race([connecting, late]);
    clearTimeout(timer);
    if (client !== undefined) return client;
    connecting.then(
      (unused) => unused.release(),
      () => {},
    );
    throw new Error('no connection in time');
  }

  async transaction<T>(act: (run: Run) => Promise<T>, begin: string): Promise<T> {
    const client = await this.#pool.connect();
    let isDone = false;
    try {
      await client.query(begin);
      const result = await act(
        async (text, values = []) => (await client.query(text, [...values])).rows,
      );
      await client.query('commit');
      isDone = true;
      return result;
    } finally {
      // A connection in the middle of a transaction is closed: that rolls back.
      client.release(!isDone);
    }
  }

  get waiting(): number {
    return this.#pool.waitingCount;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

function kindOf(error: Error): 'refused' | 'again' | 'lost' {
  if (!(error instanceof pg.DatabaseError)) return 'lost';
  const code = error.code ?? '';
  if (AGAIN.test(code)) return 'again';
  return error.severity === 'ERROR' && !SERVER_ENDS.test(code) ? 'refused' : 'lost';
}

function isUniqueViolation(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;
}

export function unavailable(): FailureError {
  return new FailureError({
    code: 'STORAGE_UNAVAILABLE',
    message: 'nothing was changed: the database does not answer now; try again later',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** One sentence for the operator; the password of the URL is in none of pg's messages. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
