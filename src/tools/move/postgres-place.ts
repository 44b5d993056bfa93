// The database of a fleet as the other end of a move, with patience where it or the network fails
// in passing.

import type { EventPlace, MovedEvent } from '../../storage/move/move-messages.js';
import type { AnnouncedAccount, MovedRow } from '../../storage/move/moved-rows.js';
import { CannotArrive, MovedAccounts } from '../../storage/postgres/moved-accounts.js';
import { isRefusal, PostgresPool, reasonOf } from '../../storage/postgres/postgres-pool.js';
import { expectSafeServer } from '../../storage/postgres/postgres-server.js';
import { POSTGRES_BODY_MAX_BYTES } from '../../storage/postgres/shard-storage.js';
import { CommandError } from '../data/failures.js';
import { expectGoingOn, patiently, startWaiting, WAITS, type Waits } from '../data/waiting.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { Interrupted } from '../program/ending.js';
import {
  type ArrivingAccount,
  isPassing,
  type OtherPlace,
  Passing,
  Refused,
} from './other-place.js';

/** As many as accounts are moved at once, and one for the rest. */
const CONNECTIONS_MAX = 9;

export class PostgresPlace implements OtherPlace {
  readonly name: string;
  readonly anew = 'make the database anew';
  readonly bodyMaxBytes = POSTGRES_BODY_MAX_BYTES;
  readonly #pool: PostgresPool;
  readonly #accounts: MovedAccounts;
  readonly #dependencies: CommandDependencies;
  readonly #waits: Waits;

  /** `url`: `postgres://…`. */
  constructor(url: string, dependencies: CommandDependencies, waits: Waits = WAITS) {
    const plain = new URL(url);
    plain.password = '';
    this.name = plain.href;
    const applicationName = 'service-management-api move';
    this.#pool = new PostgresPool({ url, max: CONNECTIONS_MAX, applicationName });
    this.#accounts = new MovedAccounts(this.#pool);
    this.#dependencies = dependencies;
    this.#waits = waits;
  }

  async reach(): Promise<void> {
    try {
      await expectSafeServer(this.#pool);
      await this.#accounts.begin();
    } catch (error) {
      throw new CommandError(`${this.name}: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** An index that stays where this fails does no harm: the next move takes it. */
  async close(): Promise<void> {
    await this.#accounts.end().catch(() => {});
    await this.#pool.close();
  }

  accounts() {
    return this.#patiently(() => this.#accounts.known());
  }

  raise(sequences: AnnouncedAccount['sequences']) {
    return this.#patiently(() => this.#accounts.raise(sequences));
  }

  async arrive({ owner, announced, pieces, arrived }: ArrivingAccount): Promise<number> {
    let told = 0;
    const tellOf = (rows: number) => {
      if (rows <= told) return;
      arrived(rows - told);
      told = rows;
    };
    const taken = await this.#patiently(() =>
      this.#accounts.arrive(owner, announced, this.#told(pieces(), tellOf)),
    );
    tellOf(announced.records);
    return taken;
  }

  state(account: string) {
    return this.#patiently(() => this.#accounts.state(account));
  }

  piece(account: string, after: number) {
    return this.#patiently(() => this.#accounts.piece(account, after));
  }

  events(place: EventPlace) {
    return this.#patiently(() => this.#accounts.events(place));
  }

  sendEvents(events: readonly MovedEvent[]) {
    return this.#patiently(() => this.#accounts.takeEvents(events));
  }

  /** The pieces; `tellOf` hears how many rows were taken so far. Ends with Ctrl-C. */
  *#told(pieces: Iterable<readonly MovedRow[]>, tellOf: (rows: number) => void) {
    let rows = 0;
    for (const piece of pieces) {
      expectGoingOn(this.#dependencies.interrupted);
      yield piece;
      rows += piece.length;
      tellOf(rows);
    }
  }

  #patiently<T>(call: () => Promise<T>): Promise<T> {
    const sentenceOf = ({ message }: Passing) => message;
    const waiting = startWaiting(this.#dependencies, this.#waits, sentenceOf);
    const once = () => call().catch((error) => this.#explain(error));
    return patiently(once, waiting, isPassing, this.#dependencies);
  }

  #explain(error: unknown): never {
    if (error instanceof Interrupted) throw error;
    if (error instanceof CannotArrive) throw new Refused(error.message, { cause: error });
    const sentence = `${this.name}: ${reasonOf(error)}`;
    throw isRefusal(error)
      ? new CommandError(sentence, { cause: error })
      : new Passing(sentence, { cause: error });
  }
}
