// Stateless processes over one Postgres, under a load that goes to all of them. Each process reaches
// Postgres over a line of its own, which a fault can hold, cut or deliver late.

import { setTimeout as delay } from 'node:timers/promises';
import { openIdentityStub } from '../../support/identity-stub.js';
import { type Line, openLine } from '../../support/line.js';
import { newDatabaseName, type PostgresServer } from '../../support/postgres.js';
import { ADMIN_KEY, type Service, spawnServer } from '../service/service-process.js';
import { Load } from './load.js';
import { ACCOUNTS, type World } from './node-world.js';
import { type Header, Recorder } from './recorder.js';

const CLIENTS = 9;
/** During a fault the others keep serving: without a pause the histories outgrow the checker. */
const PAUSE_MS = 10;
/** A statement that reached Postgres is over by then. */
const OVER_MS = 1_000;
const CALM_MAX_MS = 60_000;
const SAID_CHARACTERS = 2_000;

export interface PostgresOptions {
  readonly postgres: PostgresServer;
  readonly processes: number;
  /** Another build of the server. */
  readonly script?: string | undefined;
  readonly clients?: number | undefined;
  /** Where the lines lead: a pooler's port. Default: Postgres' own. */
  readonly port?: number;
  /** Further settings of the process in this place. */
  readonly environment?: (place: number) => Readonly<Record<string, string>>;
}

/** The process in a place may be replaced later. */
export interface Place {
  readonly line: Line;
  service: Service | undefined;
  /** Undefined: no client asks here. */
  origin: string | undefined;
}

type Provider = Awaited<ReturnType<typeof openIdentityStub>>;

export class PostgresWorld implements World {
  readonly recorder = new Recorder({ is500Open: true });
  readonly load: Load;
  readonly header: Header = { host: 'postgres', audit: true };
  readonly places: readonly Place[];
  restarts = 0;
  /** The current primary. The world closes it. */
  postgres: PostgresServer;
  /** Closed with the world, before Postgres. */
  readonly closers: (() => Promise<unknown>)[] = [];
  readonly #options: PostgresOptions;
  readonly #provider: Provider;
  readonly #database: string;

  private constructor(
    options: PostgresOptions,
    provider: Provider,
    places: readonly Place[],
    database: string,
  ) {
    this.#options = options;
    this.#provider = provider;
    this.#database = database;
    this.places = places;
    this.postgres = options.postgres;
    this.load = new Load({
      recorder: this.recorder,
      place: (client) => this.#originFor(client),
      accounts: ACCOUNTS,
      clients: options.clients ?? CLIENTS,
      readers: options.processes,
      pauseMs: PAUSE_MS,
    });
  }

  static async open(options: PostgresOptions): Promise<PostgresWorld> {
    const { postgres, processes, port = postgres.port } = options;
    const database = newDatabaseName();
    await postgres.make(database);
    const places: Place[] = [];
    for (let place = 0; place < processes; place++) {
      places.push({ line: await openLine(port), service: undefined, origin: undefined });
    }
    const world = new PostgresWorld(options, await openIdentityStub(), places, database);
    await Promise.all(places.map((_, place) => world.start(place)));
    return world;
  }

  /** Starts a process in the place. */
  async start(place: number): Promise<void> {
    const here = this.at(place);
    const { script, environment } = this.#options;
    const service = spawnServer({
      environment: {
        DATABASE_URL: `postgres://service@127.0.0.1:${here.line.port}/${this.#database}`,
        AUTH_USERINFO_URL: this.#provider.url,
        ...environment?.(place),
      },
      script,
    });
    here.service = service;
    here.origin = String((await service.saw('started'))['address']);
  }

  /** Ends the process in the place. Clients keep asking there until it has gone. */
  async end(place: number, signal: NodeJS.Signals): Promise<void> {
    const here = this.at(place);
    await here.service?.end(signal);
    here.origin = undefined;
    this.restarts++;
  }

  /** Resolves when every process reaches Postgres, and no earlier write is under way. */
  async calm(): Promise<void> {
    const givenUpAt = performance.now() + CALM_MAX_MS;
    while (!(await this.#isCalm())) {
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
    if (this.#outputs().includes('"event":"admin_audit_write_failed"')) this.header.audit = false;
    await this.load.readAll();
  }

  async close(): Promise<void> {
    this.load.close();
    await Promise.all(this.places.map(({ service }) => service?.end('SIGKILL')));
    await Promise.all(this.places.map(({ line }) => line.close()));
    await this.#provider.close();
    for (const close of this.closers.reverse()) await close();
    await this.postgres.close();
  }

  at(place: number): Place {
    const here = this.places[place];
    if (here === undefined) throw new Error(`there is no place ${place}`);
    return here;
  }

  /** SQL in the database of the processes, on the current primary. */
  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.postgres.sql(this.#database, text);
  }

  async #isCalm(): Promise<boolean> {
    this.#expectRunning();
    const living = this.places.flatMap(({ origin }) => origin ?? []);
    const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
    const answers = await Promise.all(
      living.map(async (origin) => {
        const answer = await fetch(`${origin}/api/v1/admin/health`, { headers });
        return ((await answer.json()) as { data?: { database?: string } }).data?.database;
      }),
    );
    return answers.every((database) => database === 'ok');
  }

  /** No fault that comes from outside may end a process. */
  #expectRunning(): void {
    const ended = this.places.find(
      ({ origin, service }) => origin !== undefined && !service?.isRunning(),
    );
    if (ended === undefined) return;
    throw new Error(`a process has ended: ${ended.service?.output().slice(-SAID_CHARACTERS)}`);
  }

  /** Each client has a process of its own, and each process a reader, so that a fault of one leaves the others' clients at work. */
  async #originFor(client: number): Promise<string> {
    for (;;) {
      const origins = this.places.map(({ origin }) => origin);
      const origin = origins[client % origins.length] ?? origins.find((each) => each !== undefined);
      if (origin !== undefined) return origin;
      await delay(20);
    }
  }

  #outputs(): string {
    return this.places.map(({ service }) => service?.output() ?? '').join('');
  }
}
