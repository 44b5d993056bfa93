// Connections to one Postgres database. One is lent for one attempt; what the server refused is
// told apart from what nobody knows.

import pg from 'pg';

/** "Database busy time-out": the time that a request has for everything it asks of Postgres. */
export const ANSWER_MAX_MS = 5_000;
/** So that the operator's `idle_session_timeout` and a proxy's are met by few statements. */
const IDLE_MAX_MS = 60_000;

/**
 * The server did nothing and may do it next time: deadlock or serialization failure, lock or
 * statement timeout, starting, out of something other than disk, read-only, or behind a pooler
 * that leads each transaction to another session, where a prepared statement is missing or another's.
 */
const AGAIN = /^(40001|40P01|55P03|57014|57P03|53(?!100)...|25006|26000|42P05)$/;
export const NAME_LOST = /^(26000|42P05)$/;
/** The server ends the connection, and may have stored the statement. */
const SERVER_ENDS = /^57P0[125]$/;

/** Some databases have other defaults. An abandoned statement ends in Postgres, too. */
const BEGIN_SESSION = `
  set default_transaction_isolation to 'read committed';
  set statement_timeout to ${ANSWER_MAX_MS};
  select pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()`;

/** A process of Postgres, as it answers one connection. */
export interface Backend {
  readonly pid: number;
  readonly since: string;
}

export type Attempt<T> =
  | { readonly kind: 'answered'; readonly result: T }
  | {
      readonly kind: 'refused' | 'again' | 'lost';
      readonly error: Error & { code?: string };
      /** That may still be at work on it. */
      readonly backend?: Backend | undefined;
    };

/** `name`: under which Postgres keeps the statement. */
export type Run = <Row extends object>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<readonly Row[]>;

export class Connections {
  readonly #pool: pg.Pool;
  readonly #backends = new WeakMap<pg.ClientBase, Backend>();
  /** Whose wait for a synchronous standby was cut off: an answer that looks like any other. */
  readonly #unconfirmed = new WeakSet<pg.ClientBase>();

  constructor(url: string, max: number) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max,
      application_name: 'service-management-api',
      connectionTimeoutMillis: ANSWER_MAX_MS,
      idleTimeoutMillis: IDLE_MAX_MS,
      keepAlive: true,
      onConnect: (client) => this.#begin(client),
    });
    this.#pool.on('error', () => {});
  }

  get waiting(): number {
    return this.#pool.waitingCount;
  }

  /** `until`: of `performance.now()`. */
  async attempt<T>(act: (run: Run) => Promise<T>, until: number): Promise<Attempt<T>> {
    let client: pg.PoolClient;
    try {
      client = await this.#lend(until);
    } catch (error) {
      return { kind: 'again', error: error as Error };
    }
    try {
      const result = await act(async (text, values = [], name = undefined) => {
        const timeout = Math.max(1, Math.ceil(until - performance.now()));
        const query = { text, values: values as unknown[], query_timeout: timeout };
        return (await client.query(name === undefined ? query : { ...query, name })).rows;
      });
      if (this.#unconfirmed.has(client)) throw new Error('no standby has confirmed the change');
      client.release();
      return { kind: 'answered', result };
    } catch (thrown) {
      const error = thrown as Error & { code?: string };
      const kind = kindOf(error);
      // Closing rolls a transaction back, and leaves a server that stops or became a standby.
      client.release(kind !== 'refused' || client.getTransactionStatus() !== 'I');
      return { kind, error, backend: this.#backends.get(client) };
    }
  }

  /** The pool's own time-out is the same for all; a request that has waited before has less left. */
  async #lend(until: number): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, until - performance.now(), undefined);
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

  /** One attempt, as long as it takes; what goes wrong is thrown as it is. */
  async transaction<T>(act: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#lend(performance.now() + ANSWER_MAX_MS);
    let isDone = false;
    try {
      await client.query('begin; set local statement_timeout to 0');
      const result = await act(
        async (text, values = []) => (await client.query(text, [...values])).rows,
      );
      await client.query('commit');
      isDone = true;
      return result;
    } finally {
      client.release(!isDone);
    }
  }

  /** Whether a statement is found again by its name: with a pooler the next one may go to another session. */
  async keepNames(): Promise<boolean> {
    const until = performance.now() + ANSWER_MAX_MS;
    const clients = [await this.#lend(until), await this.#lend(until)] as const;
    const [one, other] = clients;
    const named = { name: 'service_names', text: 'select 1' };
    try {
      await one.query(named);
      // Takes the session that a pooler had for `one`.
      await other.query('begin');
      await one.query(named);
      await other.query(named);
      return true;
    } catch (error) {
      if (NAME_LOST.test((error as { code?: string }).code ?? '')) return false;
      throw error;
    } finally {
      for (const client of clients) client.release(true);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #begin(client: pg.ClientBase): Promise<void> {
    client.on('error', () => {});
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.#unconfirmed.add(client);
    });
    const results: unknown = await client.query(BEGIN_SESSION);
    const [backend] = (results as readonly pg.QueryResult<Backend>[])[2]?.rows ?? [];
    // Behind a pooler the session is another one for each transaction.
    const isOwn = (client as { processID?: number }).processID === backend?.pid;
    if (backend !== undefined && isOwn) this.#backends.set(client, backend);
  }
}

function kindOf(error: Error & { code?: string }): 'refused' | 'again' | 'lost' {
  if (!(error instanceof pg.DatabaseError)) return 'lost';
  const { code = '', severity } = error;
  if (AGAIN.test(code)) return 'again';
  return severity === 'ERROR' && !SERVER_ENDS.test(code) ? 'refused' : 'lost';
}
