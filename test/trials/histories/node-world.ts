// The built server on a database of its own, under a load, and with a fault.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Behaviour, byToken, openIdentityStub } from '../../support/identity-stub.js';
import { type Service, spawnServer } from '../service/service-process.js';
import { Load } from './load.js';
import { type Header, Recorder } from './recorder.js';

export const ACCOUNTS = ['alice', 'bob', 'carol', 'dora'];
const CLIENTS = 12;

export interface World {
  readonly recorder: Recorder;
  readonly load: Load;
  readonly header: Header;
  /** How often the service was started again. */
  readonly restarts: number;
  /** Resolves when the unanswered operations have been closed and nothing is in progress. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface NodeOptions {
  readonly folder: string;
  readonly script?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** A command that runs the server; it must let the server keep its process id. */
  readonly under?: readonly string[];
  readonly identity?: Behaviour;
  readonly clients?: number | undefined;
}

type Provider = Awaited<ReturnType<typeof openIdentityStub>>;

export class NodeWorld implements World {
  readonly recorder = new Recorder();
  readonly load: Load;
  readonly header: Header = { host: 'node', audit: true };
  readonly file: string;
  restarts = 0;
  readonly #options: NodeOptions;
  readonly #provider: Provider;
  #service: Service | undefined;
  #origin: Promise<string>;
  #up: (origin: string) => void = () => {};

  private constructor(options: NodeOptions, provider: Provider) {
    this.#options = options;
    this.#provider = provider;
    mkdirSync(options.folder, { recursive: true });
    this.file = join(options.folder, 'service.db');
    this.load = new Load({
      recorder: this.recorder,
      place: () => this.#origin,
      accounts: ACCOUNTS,
      clients: options.clients ?? CLIENTS,
    });
    this.#origin = this.#down();
  }

  static async open(options: NodeOptions): Promise<NodeWorld> {
    const world = new NodeWorld(options, await openIdentityStub(options.identity ?? byToken));
    if (!(await world.start())) throw new Error('the service does not start');
    return world;
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service is not running');
    return this.#service;
  }

  /** Starts the service; false if it refuses. */
  async start(under = this.#options.under): Promise<boolean> {
    const service = this.#spawned(under);
    const started = await service.saw('started').catch(() => undefined);
    if (started === undefined) return false;
    this.#service = service;
    this.recorder.closeLost();
    this.#up(String(started['address']));
    return true;
  }

  async startAgain(under = this.#options.under): Promise<void> {
    if (!(await this.start(under))) throw new Error(`no start: ${this.service.output()}`);
  }

  /** Ends it, by a signal or because it has ended by itself. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#origin = this.#down();
    await this.service.end(signal);
    this.restarts++;
  }

  /** Stops it, and kills it this many milliseconds later: it drains, or writes its log back. */
  async killStopping(afterMs: number): Promise<void> {
    this.#origin = this.#down();
    this.service.child.kill('SIGTERM');
    await delay(afterMs);
    await this.service.end('SIGKILL');
    this.restarts++;
  }

  /** Starts it and kills it this many milliseconds later: it recovers what the last kill left. */
  async killStarting(afterMs: number): Promise<void> {
    const starting = this.#spawned();
    await delay(afterMs);
    await starting.end('SIGKILL');
    this.restarts++;
  }

  async settle(): Promise<void> {
    await this.load.stop();
    if (!this.service.isRunning()) {
      await this.end('SIGKILL');
      await this.startAgain();
    }
    this.recorder.closeLost();
    if (this.service.log().some(({ event }) => event === 'admin_audit_write_failed')) {
      this.header.audit = false;
    }
    await this.load.readAll();
  }

  async close(): Promise<void> {
    this.load.close();
    await this.#service?.end('SIGKILL');
    await this.#provider.close();
  }

  #spawned(under = this.#options.under): Service {
    const { script, environment } = this.#options;
    return spawnServer({
      environment: {
        DATABASE_URL: `file:${this.file}`,
        AUTH_USERINFO_URL: this.#provider.url,
        ...environment,
      },
      script,
      under,
    });
  }

  #down(): Promise<string> {
    return new Promise((resolve) => {
      this.#up = resolve;
    });
  }
}
