// A process's place in the fleet: it gives signs of life, sees those of the others, and knows until
// when it may answer reads.
//
// No two machines' clocks are compared. A process counts as dead when its signs of life have stood
// still for LEASE_MS by the clock of the one who watches; taking its row away and freeing its shards
// is one statement, so from then on none of its signs counts. A process answers reads for READ_MS
// after it asked for its last sign: that ends before anybody can have watched for LEASE_MS.

import type { FleetState, FleetTable } from '../../storage/postgres/fleet-table.js';

const LEASE_MS = 3_000;
const READ_MS = 2_500;
/** Looks come every 0.3 s. After a longer pause nobody was watched: Postgres, or this process, was away. */
const PAUSE_MS = 1_500;

export interface MembershipOptions {
  readonly table: FleetTable;
  /** Where the others reach this process. */
  readonly url: string;
  readonly release: string;
  /** Milliseconds of a clock that is never set. It may stand still while the machine sleeps. */
  readonly now: () => number;
  /** Milliseconds since 1970; a machine that slept finds it later. */
  readonly clock: () => number;
  readonly newId: () => string;
  /** Called where the others have taken this process for dead: it holds nothing any more. */
  readonly onExpelled: () => void;
}

interface Sign {
  readonly beats: number;
  /** When this process saw it first. */
  readonly since: number;
}

export class Membership {
  readonly #options: MembershipOptions;
  #id: string;
  #state: FleetState = { processes: [], holders: [] };
  #signs = new Map<string, Sign>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #readUntil = Number.NEGATIVE_INFINITY;
  #readUntilByClock = Number.NEGATIVE_INFINITY;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#id = options.newId();
  }

  /** Of this process; a new one after it was taken for dead. */
  get id(): string {
    return this.#id;
  }

  /** As of the last look. */
  get state(): FleetState {
    return this.#state;
  }

  /** Whether this process may answer from its memory now. */
  mayServe(): boolean {
    const { now, clock } = this.#options;
    return now() < this.#readUntil && clock() < this.#readUntilByClock;
  }

  async join(): Promise<void> {
    const { table, url, release } = this.#options;
    await table.join({ id: this.#id, url, release });
    await this.step();
  }

  /** One sign of life, and one look at the others. Rejects where the database does not answer. */
  async step(): Promise<void> {
    const { table, now, clock } = this.#options;
    const [asked, askedByClock] = [now(), clock()];
    if (!(await table.beat(this.#id))) {
      await this.#rejoin();
      return;
    }
    this.#readUntil = asked + READ_MS;
    this.#readUntilByClock = askedByClock + READ_MS;
    this.#state = await table.state();
    await this.#expelDead();
  }

  /** The others take over what this process gives back; it goes on as a front. */
  leaving(): Promise<void> {
    return this.#options.table.leaving(this.#id);
  }

  async leave(): Promise<void> {
    this.#readUntil = Number.NEGATIVE_INFINITY;
    await this.#options.table.leave(this.#id);
  }

  async #rejoin(): Promise<void> {
    const { table, url, release, newId, onExpelled } = this.#options;
    this.#readUntil = Number.NEGATIVE_INFINITY;
    onExpelled();
    this.#id = newId();
    await table.join({ id: this.#id, url, release });
  }

  async #expelDead(): Promise<void> {
    const { table, now } = this.#options;
    if (now() - this.#lookedAt > PAUSE_MS) this.#signs.clear();
    this.#lookedAt = now();
    const signs = new Map<string, Sign>();
    for (const { id, beats } of this.#state.processes) {
      if (id === this.#id) continue;
      const last = this.#signs.get(id);
      const sign = last?.beats === beats ? last : { beats, since: now() };
      if (now() - sign.since < LEASE_MS) signs.set(id, sign);
      else await table.expel(id, beats);
    }
    this.#signs = signs;
  }
}
