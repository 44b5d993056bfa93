// Connections to one Postgres database. A statement either has an answer of the server, or its
// connection is given up and nobody knows what became of it.

import pg from 'pg';

/** A new connection may take so long, TLS and sign-in included. */
const CONNECT_MAX_MS = 5_000;
/** A statement without an answer for so long counts as lost with its connection. */
export const ANSWER_MAX_MS = 10_000;

/** SQLSTATE 57P01 to 57P03: the server ends the connection, and may have stored the statement. */
const SERVER_ENDS = /^57P0[1-3]$/;

/** A commit that changes nothing: a message in the server's log. */
export const TOUCH = "select pg_logical_emit_message(true, 'service', '')";

export interface Statement {
  readonly text: string;
  /** Of a statement that is sent often: it is then planned once on each connection. */
  readonly name?: string;
}

export interface Answer<Row> {
  readonly rows: readonly Row[];
  /** Texts of the server's warnings, such as that of a wait for a standby that was cut off. */
  readonly warnings: readonly string[];
}

/** One connection, for as long as a call of `use` or `transaction` has it. */
export interface Connection {
  run<Row extends object>(
    statement: Statement | string,
    values?: readonly unknown[],
    answerMaxMs?: number,
  ): Promise<Answer<Row>>;
}

export interface PoolOptions {
  /** `postgres://…`, with `sslmode` as the operator wants it. */
  readonly url: string;
  /** The most connections at once. */
  readonly max: number;
  /** Stands in `pg_stat_activity`. */
  readonly applicationName: string;
}

export class PostgresPool {
  readonly #pool: pg.Pool;

  constructor({ url, max, applicationName }: PoolOptions) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_MAX_MS,
      keepAlive: true,
    });
    // A connection that breaks while nobody uses it: the pool makes another one when it is wanted.
    this.#pool.on('error', () => {});
  }

  /** Lends a connection. One whose statement got no answer of the server is closed. */
  async use<T>(act: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const connection = new Lent(client);
    let failure: Error | undefined;
    try {
      return await act(connection);
    } catch (error) {
      if (!isRefusal(error)) failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      connection.end();
      client.release(failure);
    }
  }

  transaction<T>(act: (connection: Connection) => Promise<T>, begin = 'begin'): Promise<T> {
    return this.use(async (connection) => {
      await connection.run(begin);
      try {
        const result = await act(connection);
        expectConfirmed(await connection.run('commit'));
        return result;
      } catch (error) {
        if (isRefusal(error)) await connection.run('rollback');
        throw error;
      }
    });
  }

  /**
   * Reads of one moment. They end with a commit of something: a server that was failed over still
   * answers reads, and may show what the new one does not have.
   */
  snapshot<T>(read: (connection: Connection) => Promise<T>): Promise<T> {
    const act = async (connection: Connection) => {
      const result = await read(connection);
      await connection.run(TOUCH);
      return result;
    };
    return this.transaction(act, 'begin isolation level repeatable read');
  }

  /** One statement on a connection of its own. Rejects, too, where a synchronous standby may not have it. */
  run<Row extends object>(...how: Parameters<Connection['run']>): Promise<Answer<Row>> {
    return this.use(async (connection) => expectConfirmed(await connection.run<Row>(...how)));
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

type Notice = { readonly severity?: string | undefined; readonly message?: string | undefined };

class Lent implements Connection {
  readonly #client: pg.PoolClient;
  #warnings: string[] = [];
  readonly #onNotice = ({ severity, message }: Notice) => {
    if (severity === 'WARNING') this.#warnings.push(message ?? '');
  };
  /** Without a listener an error between two statements would end the process. */
  readonly #onError = () => {};

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on('notice', this.#onNotice);
    client.on('error', this.#onError);
  }

  async run<Row extends object>(
    statement: Statement | string,
    values: readonly unknown[] = [],
    answerMaxMs = ANSWER_MAX_MS,
  ): Promise<Answer<Row>> {
    this.#warnings = [];
    const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
    const query = { text, values: [...values], query_timeout: answerMaxMs, ...(name && { name }) };
    const { rows } = await this.#client.query<Row>(query);
    return { rows, warnings: this.#warnings };
  }

  end(): void {
    this.#client.off('notice', this.#onNotice);
    this.#client.off('error', this.#onError);
  }
}

/** A wait for a synchronous standby that was cut off is a warning beside an answer that looks like any other. */
function expectConfirmed<Row>(answer: Answer<Row>): Answer<Row> {
  const [warning] = answer.warnings;
  if (warning !== undefined) throw new Error(`Postgres does not confirm it: ${warning}`);
  return answer;
}

/** Whether the server refused the statement: then it is certain that nothing of it is stored. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.severity === 'ERROR' && !SERVER_ENDS.test(error.code ?? '');
}

/** One sentence for the operator; the password of the URL is in none of pg's messages. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
