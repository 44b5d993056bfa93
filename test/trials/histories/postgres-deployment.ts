// Two stateless processes over one Postgres, under a load that goes to both. Each reaches
// Postgres over a proxy of its own, which a fault can stall, delay or cut.

import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_KEY } from '../../support/contract.js';
import { type IdentityStub, openIdentityStub } from '../../support/identity-stub.js';
import { newDatabaseName, type PostgresServer } from '../../support/postgres.js';
import { spawnServer } from '../../support/server-process.js';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { clientOf } from '../service/client.js';
import { Deployment } from './deployment.js';

const PROCESSES = 2;
const CLIENTS = 9;
/** During a fault the others keep serving: without a pause the histories outgrow the checker. */
const PAUSE_MS = 10;
/** A statement that reached Postgres is over by then. */
const OVER_MS = 1_000;
const CALM_MAX_MS = 60_000;

/** A process may be replaced later. */
interface Place {
  readonly proxy: TcpProxy;
  service?: ReturnType<typeof spawnServer>;
  /** Undefined: no client uses it. */
  origin: string | undefined;
}

export class PostgresDeployment extends Deployment {
  readonly places: Place[] = [];
  /** The current primary. The deployment closes it. */
  postgres: PostgresServer;
  readonly #database = newDatabaseName();

  private constructor(postgres: PostgresServer, provider: IdentityStub, clients = CLIENTS) {
    super('postgres', provider, clients, PAUSE_MS);
    this.postgres = postgres;
  }

  static async open(postgres: PostgresServer, clients?: number): Promise<PostgresDeployment> {
    const deployment = new PostgresDeployment(postgres, await openIdentityStub(), clients);
    try {
      await postgres.make(deployment.#database);
      for (let place = 0; place < PROCESSES; place++) {
        deployment.places.push({ proxy: await openTcpProxy(postgres.port), origin: undefined });
      }
      await Promise.all(deployment.places.map((_, place) => deployment.start(place)));
      return deployment;
    } catch (error) {
      await deployment.close();
      throw error;
    }
  }

  /** Starts a process at this index. */
  async start(place: number): Promise<void> {
    const here = this.at(place);
    here.service = spawnServer({
      DATABASE_URL: `postgres://service@127.0.0.1:${here.proxy.port}/${this.#database}`,
      AUTH_USERINFO_URL: this.provider.url,
      ADMIN_API_KEY: ADMIN_KEY,
    });
    here.origin = await here.service.listening();
  }

  /** Ends the process at this index. Clients keep using it until it has ended. */
  async end(place: number, signal: NodeJS.Signals): Promise<void> {
    const here = this.at(place);
    await here.service?.stop(signal);
    here.origin = undefined;
    this.restarts++;
  }

  async restart(place: number, signal: NodeJS.Signals): Promise<void> {
    await this.end(place, signal);
    await this.start(place);
  }

  /** Freezes the process at this index for a while. */
  async freeze(place: number, milliseconds: number): Promise<void> {
    const child = this.at(place).service?.child;
    child?.kill('SIGSTOP');
    await delay(milliseconds);
    child?.kill('SIGCONT');
  }

  /** From now on the standby is the database. A tool that manages fail-overs fences the old primary first. */
  async failOver(standby: PostgresServer, promote: () => Promise<unknown>): Promise<void> {
    await this.postgres.close();
    await promote();
    this.postgres = standby;
    for (const { proxy } of this.places) {
      proxy.setTarget(standby.port);
      proxy.set('cut');
      proxy.set('open');
    }
  }

  async calm(): Promise<void> {
    const givenUpAt = performance.now() + CALM_MAX_MS;
    while (!(await this.#isCalm())) {
      if (performance.now() > givenUpAt) throw new Error(`no calm: ${this.output()}`);
      await delay(100);
    }
    const { open } = this.recorder;
    await delay(OVER_MS);
    this.recorder.close(open);
  }

  override async close(): Promise<void> {
    await Promise.all(this.places.map(({ service }) => service?.stop('SIGKILL')));
    await Promise.all(this.places.map(({ proxy }) => proxy.close()));
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
    const answers = this.places.map(async ({ origin, service }) => {
      if (origin === undefined) return true;
      if (!service?.isRunning()) throw new Error(`a process has ended: ${service?.output()}`);
      const { json } = await clientOf(origin).send({ method: 'GET', path: '/admin/health' });
      return json.data?.['database'] === 'ok';
    });
    return (await Promise.all(answers)).every((isOk) => isOk);
  }

  /** Each client has a process of its own, so a fault of one leaves other clients at work. */
  async originFor(client: number): Promise<string> {
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
