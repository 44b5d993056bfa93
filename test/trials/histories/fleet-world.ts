// Three processes of a fleet over one Postgres, under a load that goes to all of them. Each one's
// way to Postgres, and each one's way from the others, is a line that a fault can hold or cut.

import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.js';
import { type Line, openLine } from '../../support/line.js';
import { newDatabaseName, type PostgresServer } from '../../support/postgres.js';
import { openIdentityProvider } from '../service/identity-provider.js';
import { type Service, spawnServer } from '../service/service-process.js';
import { Load } from './load.js';
import { ACCOUNTS, before, type World } from './node-world.js';
import { type Header, Recorder } from './recorder.js';

export const PROCESSES = 3;
const CLIENTS = 9;
/** While a fault takes its seconds the others serve: without it the histories outgrow the checker. */
const PAUSE_MS = 10;
const SHARDS = 256;
const KEY = 'the-key-of-the-fleet-of-the-trials';
/** A write whose caller has gone is over by then, at a process that reaches Postgres. */
const OVER_MS = 1_000;
const CALM_MAX_MS = 60_000;
const SAID_CHARACTERS = 2_000;

export interface FleetOptions {
  readonly postgres: PostgresServer;
  /** Another build of the server. */
  readonly script?: string | undefined;
  readonly clients?: number | undefined;
  /** Further settings of the process in this place. */
  readonly environment?: (place: number) => Readonly<Record<string, string>>;
}

/** One of the places of the fleet: the process in it may be another one later. */
export interface Place {
  /** From the process to Postgres. */
  readonly database: Line;
  /** From the other processes to this one. */
  readonly inside: Line;
  readonly port: number;
  service: Service | undefined;
  /** Undefined: no client asks here. */
  origin: string | undefined;
}

type Provider = Awaited<ReturnType<typeof openIdentityProvider>>;

export class FleetWorld implements World {
  readonly recorder = new Recorder({ is500Open: true });
  readonly load: Load;
  readonly header: Header;
  readonly places: readonly Place[];
  restarts = 0;
  /** The server that has the truth now. The world closes it. */
  postgres: PostgresServer;
  readonly #options: FleetOptions;
  readonly #provider: Provider;
  readonly #database: string;

  private constructor(
    options: FleetOptions,
    provider: Provider,
    places: readonly Place[],
    database: string,
  ) {
    this.#options = options;
    this.#provider = provider;
    this.#database = database;
    this.places = places;
    this.postgres = options.postgres;
    this.header = {
      host: 'fleet',
      lagMs: 0,
      bytes: true,
      audit: true,
      usage: { records: 0, counts: {} },
      accounts: {},
    };
    this.load = new Load({
      recorder: this.recorder,
      place: (client) => this.#front(client),
      accounts: ACCOUNTS,
      clients: options.clients ?? CLIENTS,
      readers: PROCESSES,
      pauseMs: PAUSE_MS,
    });
  }

  static async open(options: FleetOptions): Promise<FleetWorld> {
    const { postgres } = options;
    const provider = await openIdentityProvider();
    const database = newDatabaseName();
    await postgres.make(database);
    const places: Place[] = [];
    for (let place = 0; place < PROCESSES; place++) {
      const port = await freePort();
      const lines = { database: await openLine(postgres.port), inside: await openLine(port) };
      places.push({ ...lines, port, service: undefined, origin: undefined });
    }
    const world = new FleetWorld(options, provider, places, database);
    await Promise.all(places.map((_, place) => world.start(place)));
    await world.calm();
    Object.assign(world.header, await before(await world.#front(0)));
    return world;
  }

  /** Starts a process in the place. */
  async start(place: number): Promise<void> {
    const here = this.#at(place);
    const { script, environment } = this.#options;
    const service = spawnServer({
      environment: {
        DATABASE_URL: `postgres://service@127.0.0.1:${here.database.port}/${this.#database}`,
        AUTH_USERINFO_URL: this.#provider.url,
        FLEET_KEY: KEY,
        FLEET_HOST: '127.0.0.1',
        FLEET_PORT: String(here.port),
        FLEET_URL: `http://127.0.0.1:${here.inside.port}`,
        ...environment?.(place),
      },
      script,
    });
    here.service = service;
    here.origin = String((await service.saw('started'))['address']);
  }

  /** Ends the process in the place. Clients go on asking there until it has gone. */
  async end(place: number, signal: NodeJS.Signals): Promise<void> {
    const here = this.#at(place);
    await here.service?.end(signal);
    here.origin = undefined;
    this.restarts++;
  }

  /** Resolves when every shard is held by a process that lives, and no earlier write is under way. */
  async calm(): Promise<void> {
    const givenUpAt = performance.now() + CALM_MAX_MS;
    while (!(await this.#isCalm())) {
      this.#expectRunning();
      if (performance.now() > givenUpAt) throw new Error(`no calm: ${this.#outputs()}`);
      await delay(100);
    }
    const { openWrites } = this.recorder;
    await delay(OVER_MS);
    this.recorder.closeLost(openWrites);
  }

  async settle(): Promise<void> {
    await this.load.stop();
    await this.calm();
    const audited = this.#outputs().includes('"event":"admin_audit_write_failed"');
    if (audited) this.header.audit = false;
    // Once more from Postgres: what memory has must be what is stored.
    for (const [place, { service }] of this.places.entries()) {
      if (service?.isRunning()) await this.end(place, 'SIGTERM');
      await this.start(place);
    }
    await this.calm();
    this.header.bytes = this.recorder.operations.every(({ code }) => code !== 0);
    await this.load.readAll();
  }

  async close(): Promise<void> {
    this.load.close();
    await Promise.all(this.places.map(({ service }) => service?.end('SIGKILL')));
    await Promise.all(
      this.places.flatMap(({ database, inside }) => [database.close(), inside.close()]),
    );
    await this.#provider.close();
    await this.postgres.close();
  }

  /** No fault that comes from outside may end a process. */
  #expectRunning(): void {
    const ended = this.places.find(
      ({ origin, service }) => origin !== undefined && !service?.isRunning(),
    );
    if (ended === undefined) return;
    throw new Error(`a process has ended: ${ended.service?.output().slice(-SAID_CHARACTERS)}`);
  }

  async #isCalm(): Promise<boolean> {
    const living = this.places.filter(({ origin }) => origin !== undefined).length;
    try {
      const [row] = await this.postgres.sql(
        this.#database,
        `select count(*)::int as held, (select count(*)::int from processes) as processes,
                max(held) as most from (select holder, count(*) over (partition by holder)::int as held
                  from shards where holder in (select id from processes)) h`,
      );
      const share = Math.ceil(SHARDS / living);
      return (
        row?.['held'] === SHARDS && row['processes'] === living && Number(row['most']) <= share
      );
    } catch {
      return false;
    }
  }

  /** A client has a front of its own, and each front a reader, so that a fault of one leaves the others' clients at work. */
  async #front(client: number): Promise<string> {
    for (;;) {
      const fronts = this.places.map(({ origin }) => origin);
      const front = fronts[client % PROCESSES] ?? fronts.find((each) => each !== undefined);
      if (front !== undefined) return front;
      await delay(20);
    }
  }

  #at(place: number): Place {
    const here = this.places[place];
    if (here === undefined) throw new Error(`the fleet has no place ${place}`);
    return here;
  }

  #outputs(): string {
    return this.places.map(({ service }) => service?.output() ?? '').join('');
  }
}
