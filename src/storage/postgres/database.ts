// Runs statements on one Postgres database. Each is its own transaction, so a connection is borrowed
// for one round trip. Transient failures are retried until the request's deadline.

import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import pg from 'pg';
import { FailureError } from '../../core/domain/errors.js';
import { messageOf } from '../file/connection-errors.js';
import { batched, type RunStatement } from './batching.js';
import { defineStatement, type Statement } from './statements.js';

/** "Database busy time-out": a request's time for all its statements, retries included. */
const ANSWER_MAX_MS = 5_000;
const RETRY_DELAY_MS = 100;
const RETRY_AFTER_SECONDS = 2;
/** Shorter than usual idle time-outs of servers and proxies, so they rarely break a statement. */
const IDLE_MAX_MS = 60_000;
/** Before the name's next address is tried. Node's 250 ms is less than a handshake between continents. */
const ADDRESS_MAX_MS = 2_000;
const QUICK_CONNECTIONS = 8;
/** For searches, payments and views, so they never use up all connections. */
const SLOW_CONNECTIONS = 4;
const APPLICATION = 'service-management-api';

/**
 * Nothing was done, and a retry may succeed: deadlock, serialization failure, lock or statement
 * time-out, server starting, out of a resource other than disk, or read-only.
 */
const TRANSIENT = /^(40001|40P01|55P03|57014|57P03|53(?!100)...|25006)$/;
/** The server is closing the connection, or a pooler lost it: the statement may have been committed. */
const SERVER_ENDS = /^(57P0[125]|08...)$/;

/** Databases can have other defaults. The time-out also ends abandoned statements. */
const BEGIN_SESSION = `
  set default_transaction_isolation to 'read committed';
  set statement_timeout to ${ANSWER_MAX_MS};
  select pg_backend_pid() as pid`;

const TERMINATE_BACKEND = defineStatement('terminate_backend')`
  select pg_terminate_backend(pid, 1000) as ended from pg_stat_activity
    where pid = $1 and usename = current_user and application_name = '${APPLICATION}'`;

export type Run = <Row extends object>(text: string, values?: unknown[]) => Promise<readonly Row[]>;

type PgError = Error & { readonly code?: string; readonly syscall?: string };

export type Attempts = ReturnType<typeof newAttempts>;

/** The state of one request across its statements and retries. */
export const newAttempts = () => ({
  /** On the clock of `performance.now()`. */
  until: performance.now() + ANSWER_MAX_MS,
  /** A write was sent but got no response, so it may have been committed. */
  isInDoubt: false,
});

/** `url`: `postgres://…`, with `sslmode` as needed. Throws if it demands a protection that pg ignores. */
export function connectionOptions(url: string): pg.ClientConfig {
  const found = url.split(/[?&]/).find((parameter) => UNSUPPORTED_PARAMETER.test(parameter));
  const remedy = 'remove it, and use sslmode=verify-full to be sure of the server';
  if (found) throw new Error(`DATABASE_URL demands ${found}, which is not supported; ${remedy}`);
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MAX_MS);
  const options = { connectionString: url, connectionTimeoutMillis: ANSWER_MAX_MS };
  return { ...options, keepAlive: true, types };
}

/** Counts, sizes, positions and times are safe integers. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Parameters that protect the connection, but that pg ignores. */
const UNSUPPORTED_PARAMETER =
  /^((channel_binding|gssencmode)=require|(require_auth|requirepeer|sslcrl|sslcrldir|ssl_min_protocol_version)=.*)$/;

export class Database {
  readonly #quick: pg.Pool;
  readonly #slow: pg.Pool;
  readonly #batches = new Map<Statement, RunStatement>();
  #retries = 0;
  /** Clients whose wait for a synchronous standby was cancelled, which Postgres reports as a success. */
  readonly #unconfirmed = new WeakSet<pg.ClientBase>();
  /** Each connection's backend process; none behind a pooler, which changes it. */
  readonly #pids = new WeakMap<pg.ClientBase, number>();

  constructor(url: string) {
    this.#quick = this.#poolOf(url, QUICK_CONNECTIONS);
    this.#slow = this.#poolOf(url, SLOW_CONNECTIONS);
  }

  get figures() {
    const waiting = this.#quick.waitingCount + this.#slow.waitingCount;
    return { waiting, retries: this.#retries };
  }

  /**
   * Rejects with Postgres' own error if it refused the statement, and with a failure if it did not
   * respond in time. Writes must be safe to retry.
   */
  query<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    attempts = newAttempts(),
  ): Promise<readonly Row[]> {
    if (statement.batchMax === 0) return this.#send<Row>(statement, values, [attempts]);
    let run = this.#batches.get(statement);
    if (run === undefined) {
      run = batched(statement, (columns, batch) => this.#send(statement, columns, batch));
      this.#batches.set(statement, run);
    }
    return run(values, attempts) as Promise<readonly Row[]>;
  }

  /** One attempt without a time limit, on a connection of its own. Errors are thrown unchanged. */
  async transaction<T>(act: (run: Run) => Promise<T>): Promise<T> {
    const client = await connect(this.#slow, newAttempts().until);
    try {
      await client.query('begin; set local statement_timeout to 0');
      const result = await act(async (text, values) => (await client.query(text, values)).rows);
      await client.query('commit');
      return result;
    } finally {
      client.release(true);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.end(), this.#slow.end()]);
  }

  #poolOf(url: string, max: number): pg.Pool {
    const pool: pg.Pool = new pg.Pool({
      ...connectionOptions(url),
      max,
      application_name: APPLICATION,
      idleTimeoutMillis: IDLE_MAX_MS,
      onConnect: async (client) => {
        client.on('error', () => {});
        client.on('notice', ({ routine }) => {
          if (routine === 'SyncRepWaitForLSN') this.#unconfirmed.add(client);
        });
        const begin = { text: BEGIN_SESSION, query_timeout: pool.options.connectionTimeoutMillis };
        const results = (await client.query(begin)) as unknown as pg.QueryResult[];
        const pid: unknown = results.at(-1)?.rows[0]?.pid;
        const { processID } = client as { processID?: unknown };
        if (typeof pid === 'number' && pid === processID) this.#pids.set(client, pid);
      },
    });
    return pool.on('error', () => {});
  }

  async #send<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    batch: readonly Attempts[],
  ): Promise<readonly Row[]> {
    const pool = statement.isSlow ? this.#slow : this.#quick;
    const until = Math.min(...batch.map((each) => each.until));
    let error: PgError = new Error('the deadline of the request has passed');
    while (performance.now() < until) {
      let client: pg.PoolClient | undefined;
      try {
        client = await connect(pool, until);
        const { rows } = await client.query<Row>({
          text: statement.text,
          // Behind a pooler, the next session may not know the name.
          name: this.#pids.has(client) ? statement.name : '',
          values: values as unknown[],
          ...{ query_timeout: Math.max(1, Math.ceil(until - performance.now())) },
        });
        if (this.#unconfirmed.has(client)) {
          throw new Error('no synchronous standby has confirmed the change');
        }
        client.release();
        return rows;
      } catch (thrown) {
        error = thrown as PgError;
        const outcome = client === undefined ? 'transient' : outcomeOf(error);
        // Close the connection: its server may be stopping or have become a standby.
        client?.release(outcome !== 'refused');
        if (outcome === 'refused') throw error;
        if (client !== undefined && outcome === 'lost' && statement.isWrite) {
          for (const each of batch) each.isInDoubt = true;
          if (!(await this.#terminated(client, until))) break;
        }
      }
      this.#retries++;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
    const message = 'nothing was changed: the database does not respond; try again later';
    const retryAfterSeconds = RETRY_AFTER_SECONDS;
    throw new FailureError({ code: 'STORAGE_UNAVAILABLE', message, retryAfterSeconds }, error);
  }

  /** Terminates the backend of a lost attempt. Resolves with whether it has certainly ended by the deadline. */
  async #terminated(client: pg.ClientBase, until: number): Promise<boolean> {
    const pid = this.#pids.get(client);
    if (pid === undefined) return false;
    const attempts = [{ until, isInDoubt: false }];
    return this.#send<{ ended: boolean }>(TERMINATE_BACKEND, [pid], attempts).then(
      (backends) => backends.every(({ ended }) => ended),
      // If the server doesn't allow it, retries continue.
      (error) => error instanceof pg.DatabaseError,
    );
  }
}

/** The pool reads its time-out at each call, so that a retry waits no longer than the time it has left. */
function connect(pool: pg.Pool, until: number): Promise<pg.PoolClient> {
  pool.options.connectionTimeoutMillis = Math.max(1, until - performance.now());
  return pool.connect();
}

/** `refused`: not done. `transient`: not done, but a retry may succeed. `lost`: unknown. */
function outcomeOf(error: PgError): 'refused' | 'transient' | 'lost' {
  if (!(error instanceof pg.DatabaseError)) return 'lost';
  const { code = '', severity } = error;
  if (TRANSIENT.test(code)) return 'transient';
  return severity === 'ERROR' && !SERVER_ENDS.test(code) ? 'refused' : 'lost';
}

/** Whether waiting may help: Postgres is starting, unreachable, out of connections, or its name doesn't resolve yet. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isTransient);
  const { code = '', syscall = '', message = '' } = error as PgError;
  if (error instanceof pg.DatabaseError) return TRANSIENT.test(code) || SERVER_ENDS.test(code);
  if (/^(connect|getaddrinfo|read|write)$/.test(syscall)) return !/^(EACCES|EPERM)$/.test(code);
  return /^Connection terminated|^timeout exceeded|^timeout expired/.test(message);
}

/** The error's message, for the operator. No message of pg contains the URL's password. */
export function reasonOf(error: unknown): string {
  return messageOf(error instanceof AggregateError ? (error.errors[0] ?? error) : error);
}
