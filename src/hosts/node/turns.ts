// How the requests of one process take turns with its long work.

import type { Server } from 'node:net';
import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { ThreadedWork } from './threaded-work.js';

/**
 * Whether clients are connecting. Node accepts one connection in an event-loop turn (libuv since
 * 1.45), so each of 300 new connections would wait for a slice of work.
 */
export class NewConnections {
  #some = false;

  watch(server: Server): void {
    server.on('connection', () => {
      this.#some = true;
    });
  }

  /** Whether a connection was accepted since the last call. Then others may wait behind it. */
  take(): boolean {
    const some = this.#some;
    this.#some = false;
    return some;
  }
}

/** All long work of the process takes turns: records and answers share the scheduler. */
export class Turns {
  readonly newConnections = new NewConnections();
  readonly scheduler = new FairScheduler({ givesWay: () => this.newConnections.take() });
  readonly work = new ThreadedWork();

  /** Pieces of long work that wait for their turn or are under way in the other thread. */
  get heavyWork(): number {
    return this.scheduler.waiting + this.work.jobs;
  }
}
