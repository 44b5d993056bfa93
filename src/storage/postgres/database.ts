// Statements on one Postgres database. Each is a transaction of its own, so a connection is lent
// for one round trip, and is tried again until the deadline of its request.

import { FailureError } from '../../core/domain/errors.js';
import { ANSWER_MAX_MS, type Backend, Connections, NAME_LOST, type Run } from './connections.js';
import { Gathering, type Rows } from './gathering.js';
import { type Answered, type Statement, StatementError } from './statement.js';

const AGAIN_MS = 100;
const RETRY_AFTER_SECONDS = 2;

/** An attempt that nobody hears of any more must not be stored later: it would undo what came after it. */
const END = `
  select pg_terminate_backend(pid, 1000) as ended from pg_stat_activity
   where pid = $1 and backend_start = $2::timestamptz`;

export interface DatabaseOptions {
  /** `postgres://…`, with `sslmode` as the operator wants it. */
  readonly url: string;
  /** Connections for statements that take a look-up or a commit. */
  readonly quick: number;
  /** Connections for searches, payments and views, so that these never take all. */
  readonly slow: number;
}

/** By kind: how many statements were sent, and for how long Postgres was waited for. */
export type StatementFigures = Map<string, { count: number; seconds: number }>;

interface Attempts {
  readonly kind: string;
  readonly connections: Connections;
  /** Of `performance.now()`. */
  readonly until: number;
  readonly isWrite: boolean;
  readonly wasLost: boolean;
}

/** A request has until then for everything that it asks of Postgres. */
export function deadline(): number {
  return performance.now() + ANSWER_MAX_MS;
}

export class Database {
  readonly #quick: Connections;
  readonly #slow: Connections;
  readonly #gatherings = new Map<Statement, Gathering>();
  readonly #statements: StatementFigures = new Map();
  #retries = 0;
  #keepsNames = true;

  constructor({ url, quick, slow }: DatabaseOptions) {
    this.#quick = new Connections(url, quick);
    this.#slow = new Connections(url, slow);
  }

  get figures() {
    const waiting = this.#quick.waiting + this.#slow.waiting;
    return { waiting, retries: this.#retries, statements: this.#statements };
  }

  /** Rejects with a failure where Postgres did not answer in time. */
  async read<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    until = deadline(),
  ): Promise<readonly Row[]> {
    return rowsOrFailure(this.#answered(statement, values, until, false, false));
  }

  async readSlowly<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    return rowsOrFailure(this.#statement(this.#slow, statement, values, deadline(), false, false));
  }

  /** A write is made so that a second attempt does no harm. Rejects with a `StatementError`. */
  write<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    until: number,
    isAlone = true,
  ): Promise<Answered<readonly Row[]>> {
    return this.#answered(statement, values, until, true, isAlone) as Promise<
      Answered<readonly Row[]>
    >;
  }

  /** Reads of one moment. */
  view<T>(read: (run: Run) => Promise<T>): Promise<T> {
    const act = async (run: Run) => {
      await run('begin isolation level repeatable read read only');
      const result = await read(run);
      await run('commit');
      return result;
    };
    const connections = this.#slow;
    const attempts = { kind: 'view', connections, until: deadline(), isWrite: false };
    return resultOrFailure(this.#settled(act, { ...attempts, wasLost: false }));
  }

  /** At the start: one attempt, and what goes wrong is thrown as it is. */
  transaction<T>(act: (run: Run) => Promise<T>): Promise<T> {
    return this.#slow.transaction(act);
  }

  /** Whether Postgres finds a statement again by its name; if not, statements go without one from here on. */
  async findNames(): Promise<boolean> {
    this.#keepsNames = await this.#quick.keepNames();
    return this.#keepsNames;
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  #answered(
    statement: Statement,
    values: readonly unknown[],
    until: number,
    isWrite: boolean,
    isAlone: boolean,
  ): Promise<Answered<Rows>> {
    if (!statement.isGathered) {
      return this.#statement(this.#quick, statement, values, until, isWrite, false);
    }
    let gathering = this.#gatherings.get(statement);
    if (gathering === undefined) {
      gathering = new Gathering(statement, (columns, last, wasLost) =>
        this.#statement(this.#quick, statement, columns, last, isWrite, wasLost),
      );
      this.#gatherings.set(statement, gathering);
    }
    return isAlone ? gathering.alone(values, until) : gathering.add(values, until);
  }

  #statement(
    connections: Connections,
    { kind, name, text }: Statement,
    values: readonly unknown[],
    until: number,
    isWrite: boolean,
    wasLost: boolean,
  ): Promise<Answered<Rows>> {
    const act = (run: Run) => run(text, values, this.#keepsNames ? name : undefined);
    return this.#settled<Rows>(act, { kind, connections, until, isWrite, wasLost });
  }

  async #settled<T>(act: (run: Run) => Promise<T>, attempts: Attempts): Promise<Answered<T>> {
    const { kind, connections, until, isWrite } = attempts;
    let { wasLost } = attempts;
    let left: Backend | undefined;
    let error: Error = new Error('the time for the request is over');
    while (performance.now() < until) {
      if (left !== undefined && (await hasEnded(connections, left, until))) left = undefined;
      if (left === undefined) {
        const begun = performance.now();
        const tried = await connections.attempt(act, until);
        this.#count(kind, performance.now() - begun);
        if (tried.kind === 'answered') return { result: tried.result, wasLost };
        error = tried.error;
        if (tried.kind === 'refused') throw new StatementError('refused', error, wasLost);
        if (tried.kind === 'lost') wasLost = true;
        if (tried.kind === 'lost' && isWrite) left = tried.backend;
        if (NAME_LOST.test(tried.error.code ?? '')) this.#keepsNames = false;
      }
      this.#retries++;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    // It may wait for a lock or a standby, and would hold its connection as long as that takes.
    if (left !== undefined) void hasEnded(connections, left, deadline());
    throw new StatementError('unsettled', error, wasLost);
  }

  #count(kind: string, milliseconds: number): void {
    const { count, seconds } = this.#statements.get(kind) ?? { count: 0, seconds: 0 };
    this.#statements.set(kind, { count: count + 1, seconds: seconds + milliseconds / 1000 });
  }
}

/** Ends what is still at work on a lost attempt. */
async function hasEnded(connections: Connections, left: Backend, until: number): Promise<boolean> {
  const end = (run: Run) => run<{ ended: boolean }>(END, [left.pid, left.since]);
  const tried = await connections.attempt(end, until);
  // A server that refuses this cannot be asked for it.
  if (tried.kind === 'answered') return tried.result.every(({ ended }) => ended);
  return tried.kind === 'refused';
}

async function resultOrFailure<T>(answering: Promise<Answered<T>>): Promise<T> {
  try {
    return (await answering).result;
  } catch (error) {
    if (error instanceof StatementError && error.kind === 'unsettled') throw unavailable();
    throw error;
  }
}

function rowsOrFailure<Row extends object>(
  answering: Promise<Answered<Rows>>,
): Promise<readonly Row[]> {
  return resultOrFailure(answering) as Promise<readonly Row[]>;
}

export function unavailable(): FailureError {
  return new FailureError({
    code: 'STORAGE_UNAVAILABLE',
    message: 'nothing was changed: the database does not answer now; try again later',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
