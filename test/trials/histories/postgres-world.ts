// Two stateless processes over one Postgres, under a load that goes to both. Each reaches
// Postgres over a line of its own, which a fault can hold, cut or deliver late.

import { setTimeout as delay } from 'node:timers/promises';
import { openIdentityStub } from '../../support/identity-stub.js';
import { type Line, openLine } from '../../support/line.js';
import { newDatabaseName, type PostgresServer } from '../../support/postgres.js';
import { ADMIN_KEY, type Service, spawnServer } from '../service/service-process.js';
import { type IdentityStub, World } from './world.js';

const PROCESSES = 2;
const CLIENTS = 9;
/** During a fault the others keep serving: without a pause the histories outgrow the checker. */
const PAUSE_MS = 10;
/** A statement that reached Postgres is over by then. */
const OVER_MS = 1_000;
const CALM_MAX_MS = 60_000;
const SAID_CHARACTERS = 2_000;

/** The process in a place may be replaced later. */
interface Place {
  readonly line: Line;
  service: Service | undefined;
  /** Undefined: no client asks here. */
  origin: string | undefined;
}

export class PostgresWorld extends World {
  readonly places: Place[] = [];
  /** The current primary. The world closes it. */
  postgres: PostgresServer;
  readonly #database = newDatabaseName();

  private constructor(postgres: PostgresServer, provider: IdentityStub, clients = CLIENTS) {
    super('postgres', provider, clients, PAUSE_MS);
    this.postgres = postgres;
  }

  static async open(postgres: PostgresServer, clients?: number): Promise<PostgresWorld> {
    const world = new PostgresWorld(postgres, await openIdentityStub(), clients);
    try {
      await postgres.make(world.#database);
      for (let place = 0; place < PROCESSES; place++) {
        const line = await openLine(postgres.port);
        world.places.push({ line, service: undefined, origin: undefined });
      }
      await Promise.all(world.places.map((_, place) => world.start(place)));
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** Starts a process in the place. */
  async start(place: number): Promise<void> {
    const here = this.at(place);
    here.service = spawnServer({
      environment: {
        DATABASE_URL: `postgres://service@127.0.0.1:${here.line.port}/${this.#database}`,
        AUTH_USERINFO_URL: this.provider.url,
      },
    });
    here.origin = String((await here.service.saw('started'))['address']);
  }

  /** Ends the process in the place. Clients keep asking there until it has gone. */
  async end(place: number, signal: NodeJS.Signals): Promise<void> {
    const here = this.at(place);
    await here.service?.end(signal);
    here.origin = undefined;
    this.restarts++;
  }

  async calm(): Promise<void> {
    const givenUpAt = performance.now() + CALM_MAX_MS;
    while (!(await this.#isCalm())) {
      if (performance.now() > givenUpAt) throw new Error(`no calm: ${this.output()}`);
      await delay(100);
    }
    const { openWrites } = this.recorder;
    await delay(OVER_MS);
    this.recorder.closeLost(openWrites);
  }

  override async close(): Promise<void> {
    await Promise.all(this.places.map(({ service }) => service?.end('SIGKILL')));
    await Promise.all(this.places.map(({ line }) => line.close()));
    await super.close();
    await this.postgres.close();
  }

  at(place: number): Place {
    const here = this.places[place];
    if (here === undefined) throw new Error(`there is no place ${place}`);
    return here;
  }

  /** No fault that comes from outside may end a process. */
  async #isCalm(): Promise<boolean> {
    const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
    const answers = this.places.map(async ({ origin, service }) => {
      if (origin === undefined) return true;
      if (!service?.isRunning()) {
        throw new Error(`a process has ended: ${service?.output().slice(-SAID_CHARACTERS)}`);
      }
      const answer = await fetch(`${origin}/api/v1/admin/health`, { headers });
      const { data } = (await answer.json()) as { data?: { database?: string } };
      return data?.database === 'ok';
    });
    return (await Promise.all(answers)).every((isOk) => isOk);
  }

  /** Each client has a process of its own, so that a fault of one leaves the others' clients at work. */
  protected async originFor(client: number): Promise<string> {
    for (;;) {
      const origins = this.places.map(({ origin }) => origin);
      const origin = origins[client % origins.length] ?? origins.find((each) => each !== undefined);
      if (origin !== undefined) return origin;
      await delay(20);
    }
  }

  protected output(): string {
    return this.places.map(({ service }) => service?.output() ?? '').join('');
  }
}
