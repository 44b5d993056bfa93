// Tells the turns that clients are connecting. Node accepts one connection in an event-loop
// turn (libuv since 1.45), so each of 300 new connections would wait for a slice of work.

import type { Server } from 'node:net';

export class Arrivals {
  #hasNew = false;

  watch(server: Server): void {
    server.on('connection', () => {
      this.#hasNew = true;
    });
  }

  /** Whether a connection was accepted since the last call. Then others may wait behind it. */
  take(): boolean {
    const hasNew = this.#hasNew;
    this.#hasNew = false;
    return hasNew;
  }
}
