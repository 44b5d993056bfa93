// The built server on a database of its own, under a load, and with a fault.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openIdentityStub } from '../../support/identity-stub.js';
import { type Service, spawnServer } from '../service/service-process.js';
import { OneProcess } from './world.js';

export interface NodeOptions {
  readonly folder: string;
  /** A command that runs the server; it must let the server keep its process id. */
  readonly under?: readonly string[];
  readonly clients?: number | undefined;
}

export class NodeWorld extends OneProcess {
  #options: NodeOptions = { folder: '' };
  #service: Service | undefined;

  static async open(options: NodeOptions): Promise<NodeWorld> {
    const world = new NodeWorld('node', await openIdentityStub(), options.clients);
    world.#options = options;
    await world.start();
    return world;
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service is not running');
    return this.#service;
  }

  async start(under = this.#options.under): Promise<void> {
    this.#service = this.#spawned(under);
    this.isUp(String((await this.#service.saw('started'))['address']));
  }

  /** Ends it, by a signal or because it has ended by itself. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.goesDown();
    await this.service.end(signal);
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.end(signal);
    await this.start();
  }

  /** Stops it, and kills it this many milliseconds later: it drains, or writes its log back. */
  async killStopping(afterMs: number): Promise<void> {
    this.goesDown();
    this.service.child.kill('SIGTERM');
    await delay(afterMs);
    await this.service.end('SIGKILL');
  }

  /** Starts it and kills it this many milliseconds later: it recovers what the last kill left. */
  async killStarting(afterMs: number): Promise<void> {
    const starting = this.#spawned();
    await delay(afterMs);
    await starting.end('SIGKILL');
    this.restarts++;
  }

  async calm(): Promise<void> {
    if (!this.service.isRunning()) await this.restart('SIGKILL');
    this.recorder.closeLost();
  }

  override async close(): Promise<void> {
    await this.#service?.end('SIGKILL');
    await super.close();
  }

  protected output(): string {
    return this.service.output();
  }

  #spawned(under = this.#options.under): Service {
    const environment = {
      DATABASE_URL: `file:${join(this.#options.folder, 'service.db')}`,
      AUTH_USERINFO_URL: this.provider.url,
    };
    return spawnServer({ environment, under });
  }
}
