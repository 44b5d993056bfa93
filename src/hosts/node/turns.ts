// How the requests of one process take turns with its long work.

import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { ThreadedWork } from './threaded-work.js';

/** All long work of the process takes turns: records and answers share the scheduler. */
export class Turns {
  #hasAccepted = false;
  readonly work = new ThreadedWork();
  /**
   * Gives way while clients connect. Node accepts one connection in an event-loop turn (libuv since
   * 1.45), so each of 300 new connections would wait for a slice of work.
   */
  readonly scheduler = new FairScheduler({
    givesWay: () => {
      const hasAccepted = this.#hasAccepted;
      this.#hasAccepted = false;
      return hasAccepted;
    },
  });

  /** To be called for every connection that is accepted: others may wait behind it. */
  readonly onConnection = (): void => {
    this.#hasAccepted = true;
  };
}
