// The contract's response write time-out, which Node does not have: a client
// that never reads its answer would hold the answer's memory for ever.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';

/** How often the deadlines are looked at; a connection lives at most this much longer. */
const SWEEP_INTERVAL_MS = 500;

/**
 * Ends the connection of a response that is not written 15 s after its request
 * has arrived. One timer for all of them: a timer each would cost every request.
 */
export class ResponseDeadlines {
  /** When the whole request was first seen to be there, in `performance.now` milliseconds; 0: not yet. */
  readonly #underWay = new Map<ServerResponse, { request: IncomingMessage; since: number }>();
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();

  watch(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.set(response, { request, since: 0 });
    response.once('close', () => this.#underWay.delete(response));
  }

  /** Responses not yet written to their end. */
  get count(): number {
    return this.#underWay.size;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [response, entry] of this.#underWay) {
      // Until the request is complete Node's own request time-out counts.
      if (!entry.request.complete) continue;
      if (entry.since === 0) entry.since = now;
      // A reset, not a graceful end: that would wait for the reader, too.
      else if (now - entry.since > RESPONSE_WRITE_TIMEOUT_MS) response.socket?.resetAndDestroy();
    }
  }
}
