// Statements on one Postgres database. Each is a transaction of its own, so a connection is lent
// for one round trip; it is tried again until the deadline of its request.

import pg from 'pg';
import { FailureError } from '../../core/domain/errors.js';
import { type Ask, type Attempts, gathering } from './gathering.js';
import { type Statement, statement } from './statements.js';

/** "Database busy time-out": the time that a request has for everything it asks of Postgres. */
const ANSWER_MAX_MS = 5_000;
const AGAIN_MS = 100;
const RETRY_AFTER_SECONDS = 2;
/** So that the operator's `idle_session_timeout` and a proxy's are met by few statements. */
const IDLE_MAX_MS = 60_000;
const QUICK_CONNECTIONS = 8;
/** For searches, payments and views, so that these never take all. */
const SLOW_CONNECTIONS = 4;
const APPLICATION = 'service-management-api';

/**
 * The server did nothing and may do it next time: deadlock or serialization failure, lock or
 * statement timeout, starting, out of something other than disk, read-only, or behind a pooler
 * that leads each transaction to another session, where a prepared statement is missing or another's.
 */
const AGAIN = /^(40001|40P01|55P03|57014|57P03|53(?!100)...|25006|26000|42P05)$/;
const NAME_LOST = /^(26000|42P05)$/;
/** The server ends the connection, or a pooler lost it, and the statement may be stored. */
const SERVER_ENDS = /^(57P0[125]|08...)$/;

/** Some databases have other defaults. An abandoned statement ends in Postgres, too. */
const BEGIN_SESSION = `
  set default_transaction_isolation to 'read committed';
  set statement_timeout to ${ANSWER_MAX_MS}`;

const END = statement(
  'end',
  `select pg_terminate_backend(pid, 1000) as ended from pg_stat_activity
    where pid = $1 and usename = current_user and application_name = '${APPLICATION}'`,
);

export type Run = <Row extends object>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

export function attempts(): Attempts {
  return { until: performance.now() + ANSWER_MAX_MS, isOpen: false };
}

export class Database {
  readonly #quick: pg.Pool;
  readonly #slow: pg.Pool;
  readonly #gatherings = new Map<Statement, Ask>();
  /** By kind: how many statements were sent, and for how long Postgres was waited for. */
  readonly #statements = new Map<string, { count: number; seconds: number }>();
  readonly #onNamesLost: (() => void) | undefined;
  #retries = 0;
  #keepsNames = true;
  /** Whose wait for a synchronous standby was cut off: an answer that looks like any other. */
  readonly #unconfirmed = new WeakSet<pg.ClientBase>();

  /**
   * `url`: `postgres://…`, with `sslmode` as the operator wants it. `onNamesLost`: called once, where
   * a pooler loses prepared statements; none is used from there on.
   */
  constructor(url: string, onNamesLost?: () => void) {
    this.#quick = this.#poolOf(url, QUICK_CONNECTIONS);
    this.#slow = this.#poolOf(url, SLOW_CONNECTIONS);
    this.#onNamesLost = onNamesLost;
  }

  get figures() {
    const waiting = this.#quick.waitingCount + this.#slow.waitingCount;
    const statements = Object.fromEntries(this.#statements);
    return { waiting, retries: this.#retries, statements };
  }

  /**
   * Rejects with Postgres' own error where it refused the statement, and with a failure where it did
   * not answer in time. A write is made so that a second attempt does no harm.
   */
  ask<Row extends object>(
    asked: Statement,
    values: readonly unknown[],
    request = attempts(),
  ): Promise<readonly Row[]> {
    if (asked.togetherMax === 0) return this.#send<Row>(asked, values, [request]);
    let ask = this.#gatherings.get(asked);
    if (ask === undefined) {
      ask = gathering(asked, (columns, group) => this.#send(asked, columns, group));
      this.#gatherings.set(asked, ask);
    }
    return ask(values, request) as Promise<readonly Row[]>;
  }

  /** One attempt, as long as it takes; what goes wrong is thrown as it is. */
  async transaction<T>(act: (run: Run) => Promise<T>): Promise<T> {
    const client = await lend(this.#slow, attempts().until);
    let isDone = false;
    try {
      await client.query('begin; set local statement_timeout to 0');
      const result = await act(async (text, values = []) => {
        return (await client.query(text, [...values])).rows;
      });
      await client.query('commit');
      isDone = true;
      return result;
    } finally {
      client.release(!isDone);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.end(), this.#slow.end()]);
  }

  #poolOf(url: string, max: number): pg.Pool {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      application_name: APPLICATION,
      connectionTimeoutMillis: ANSWER_MAX_MS,
      idleTimeoutMillis: IDLE_MAX_MS,
      keepAlive: true,
      types: { getTypeParser },
      onConnect: async (client) => {
        client.on('error', () => {});
        client.on('notice', ({ routine }) => {
          if (routine === 'SyncRepWaitForLSN') this.#unconfirmed.add(client);
        });
        await client.query(BEGIN_SESSION);
      },
    });
    return pool.on('error', () => {});
  }

  async #send<Row extends object>(
    asked: Statement,
    values: readonly unknown[],
    group: readonly Attempts[],
  ): Promise<readonly Row[]> {
    const pool = asked.isSlow ? this.#slow : this.#quick;
    const until = Math.min(...group.map((each) => each.until));
    let error: PgError = new Error('the time for the request is over');
    while (performance.now() < until) {
      let client: (pg.PoolClient & { processID?: number }) | undefined;
      const begun = performance.now();
      try {
        client = await lend(pool, until);
        const rows = await this.#sendOver<Row>(client, asked, values, until);
        if (this.#unconfirmed.has(client)) throw new Error('no standby has confirmed the change');
        client.release();
        return rows;
      } catch (thrown) {
        error = thrown as PgError;
        const meaning = client === undefined ? 'again' : meaningOf(error);
        // Closing leaves a server that stops or became a standby.
        client?.release(meaning !== 'refused');
        if (meaning === 'refused') throw error;
        if (meaning === 'lost' && asked.isWrite) {
          for (const each of group) each.isOpen = true;
          if (!(await this.#ended(client?.processID, until))) break;
        }
        if (this.#keepsNames && NAME_LOST.test(error.code ?? '')) {
          this.#keepsNames = false;
          this.#onNamesLost?.();
        }
      } finally {
        const { count, seconds } = this.#statements.get(asked.kind) ?? { count: 0, seconds: 0 };
        const took = (performance.now() - begun) / 1000;
        this.#statements.set(asked.kind, { count: count + 1, seconds: seconds + took });
      }
      this.#retries++;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    throw unavailable(error);
  }

  async #sendOver<Row>(
    client: pg.PoolClient,
    { text, name }: Statement,
    values: readonly unknown[],
    until: number,
  ): Promise<readonly Row[]> {
    const timeout = Math.max(1, Math.ceil(until - performance.now()));
    const query = { text, values: values as unknown[], query_timeout: timeout };
    return (await client.query(this.#keepsNames ? { ...query, name } : query)).rows;
  }

  /** Whether nothing is at work on a lost attempt any more. Ending it continues after `until`. */
  async #ended(pid: number | undefined, until: number): Promise<boolean> {
    const ending = this.#send<{ ended: boolean }>(END, [pid], [attempts()]).then(
      (backends) => backends.every(({ ended }) => ended),
      // A server that refuses this cannot be asked for it.
      (error) => error instanceof pg.DatabaseError,
    );
    return (await inTime(ending, until)) ?? false;
  }
}

/** `bigint` and `numeric`: counts, sizes, positions and times are safe integers. */
const getTypeParser = ((type: number, format: 'text') =>
  type === 20 || type === 1700
    ? Number
    : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser;

/** The pool's own time-out is the same for all; a request that has waited before has less left. */
async function lend(pool: pg.Pool, until: number): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  const client = await inTime(connecting, until);
  if (client !== undefined) return client;
  connecting.then(
    (unused) => unused.release(),
    () => {},
  );
  throw new Error('no connection in time');
}

/** Undefined once the time is over. */
async function inTime<T>(promise: Promise<T>, until: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, until - performance.now(), undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

type PgError = Error & { code?: string };

/** `refused`: nothing was done. `again`: neither, and the next attempt may do it. `lost`: unknown. */
function meaningOf(error: PgError): 'refused' | 'again' | 'lost' {
  if (!(error instanceof pg.DatabaseError)) return 'lost';
  const { code = '', severity } = error;
  if (AGAIN.test(code)) return 'again';
  return severity === 'ERROR' && !SERVER_ENDS.test(code) ? 'refused' : 'lost';
}

function unavailable(cause: Error): FailureError {
  const failure = new FailureError({
    code: 'STORAGE_UNAVAILABLE',
    message: 'nothing was changed: the database does not answer now; try again later',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  return Object.assign(failure, { cause });
}

/** One sentence for the operator; the password of the URL is in none of pg's messages. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
