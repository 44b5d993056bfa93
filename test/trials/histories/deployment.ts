// What every history has: a service under a load, and a fault.

import type { IdentityStub } from '../../support/identity-stub.js';
import { Load } from '../load/load.js';
import type { Place } from '../load/random-client.js';
import { type Header, Recorder } from '../load/recorder.js';
import type { Model } from './checker.js';

/** The size of a run. */
export interface Amount {
  readonly operations: number;
  readonly rounds: number;
  /** With fewer, a violation is proved sooner: every order of concurrent operations is tried. */
  readonly clients?: number;
}

export interface Fault {
  readonly name: string;
  /** The models that the history is checked against. Default: all. */
  readonly models?: readonly Model[];
  /** Why it is unavailable here; undefined if it is available. */
  missing?(): string | undefined;
  /** Makes the history, and returns how often the fault was injected. */
  run(folder: string, amount: Amount): Promise<Faulted>;
}

export interface Faulted {
  readonly deployment: Deployment;
  readonly came: string;
}

export abstract class Deployment implements Place {
  readonly recorder = new Recorder();
  readonly load: Load;
  readonly header: Header;
  readonly is500Open: boolean;
  /** How often the service was restarted. */
  restarts = 0;
  protected readonly provider: IdentityStub;

  constructor(host: Header['host'], provider: IdentityStub, clients: number, pauseMs = 0) {
    this.header = { host, audit: true };
    this.is500Open = host === 'postgres';
    this.provider = provider;
    this.load = new Load({ recorder: this.recorder, place: this, clients, pauseMs });
  }

  abstract originFor(client: number): Promise<string>;

  /** Resolves when the service responds, and no earlier write is in progress. */
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
    return { deployment: this, came: `${rounds} times` };
  }
}
