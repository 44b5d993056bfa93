// What every history has: a service under a load, and a fault.

import type { Behaviour, openIdentityStub } from '../../support/identity-stub.js';
import { Load } from './load.js';
import { type Header, Recorder } from './recorder.js';

export type IdentityStub = Awaited<ReturnType<typeof openIdentityStub>>;
export type { Behaviour };

/** The size of a run. */
export interface Amount {
  readonly operations: number;
  readonly rounds: number;
  /** Fewer make a violation quicker to prove: every order of concurrent operations has to be tried. */
  readonly clients?: number;
}

export interface Fault {
  readonly name: string;
  /** Why it is unavailable here; undefined if it is available. */
  readonly missing?: () => string | undefined;
  /** Makes the history, and says how often the fault came. */
  readonly run: (folder: string, amount: Amount) => Promise<Faulted>;
}

export interface Faulted {
  readonly world: World;
  readonly came: string;
}

export abstract class World {
  readonly recorder: Recorder;
  readonly load: Load;
  readonly header: Header;
  /** How often the service was started again. */
  restarts = 0;
  protected readonly provider: IdentityStub;

  constructor(host: Header['host'], provider: IdentityStub, clients: number, pauseMs = 0) {
    this.header = { host, audit: true };
    this.provider = provider;
    this.recorder = new Recorder({ is500Open: host === 'postgres' });
    const place = (client: number) => this.originFor(client);
    this.load = new Load({ recorder: this.recorder, place, clients, pauseMs });
  }

  /** Waits while the service is down. */
  protected abstract originFor(client: number): Promise<string>;

  /** Resolves when the service answers, and no earlier write is under way. */
  abstract calm(): Promise<void>;

  protected abstract output(): string;

  /** Resolves when everything is read and nothing is in progress. */
  async settle(): Promise<void> {
    await this.load.stop();
    await this.calm();
    if (this.output().includes('"event":"admin_audit_write_failed"')) this.header.audit = false;
    await this.load.readAll();
  }

  async close(): Promise<void> {
    this.load.close();
    await this.provider.close();
  }

  async rounds(
    { operations, rounds }: Amount,
    happen: (round: number) => Promise<unknown> = async () => {},
  ): Promise<Faulted> {
    this.load.start();
    for (let round = 0; round < rounds; round++) {
      await this.load.more(operations / rounds);
      await happen(round);
    }
    return { world: this, came: `${rounds} times` };
  }

  /** The identifiers' own run: the newest record is deleted before each restart. */
  async newestDeleted({ rounds }: Amount, restart: () => Promise<unknown>): Promise<Faulted> {
    for (let round = 0; round < rounds; round++) {
      await this.load.makeAndDelete();
      await restart();
      await this.load.makeAndDelete();
    }
    return { world: this, came: `${rounds} times` };
  }
}

/** A service of one process: its clients wait while it is down. */
export abstract class OneProcess extends World {
  #origin: Promise<string>;
  #up: (origin: string) => void = () => {};

  constructor(host: Header['host'], provider: IdentityStub, clients = 12) {
    super(host, provider, clients);
    this.#origin = this.#gate();
  }

  protected originFor(): Promise<string> {
    return this.#origin;
  }

  protected goesDown(): void {
    this.#origin = this.#gate();
    this.restarts++;
  }

  /** A process that is gone makes no write any more. */
  protected isUp(origin: string): void {
    this.recorder.closeLost();
    this.#up(origin);
  }

  #gate(): Promise<string> {
    return new Promise((resolve) => {
      this.#up = resolve;
    });
  }
}
