// The contract's response write time-out, which Node does not have: a client
// that never reads its answer would hold the answer's memory for ever.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';

/** How often the deadlines are looked at; a connection lives at most this much longer. */
const SWEEP_INTERVAL_MS = 500;

interface Entry {
  readonly request: IncomingMessage;
  /** When the answer was first seen to be due, in `performance.now` milliseconds; 0: not yet. */
  since: number;
}

/**
 * Ends the connection of a response that is not written 15 s after its request
 * has arrived. One timer for all of them: a timer each would cost every request.
 */
export class ResponseDeadlines {
  readonly #underWay = new Map<ServerResponse, Entry>();
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();

  watch(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.set(response, { request, since: 0 });
    response.once('close', () => this.#underWay.delete(response));
  }

  /** Responses not yet written to their end. */
  get count(): number {
    return this.#underWay.size;
  }

  /** Whether an answer is complete and its client has yet to read it: Node takes such a connection for an idle one. */
  get isWriting(): boolean {
    for (const response of this.#underWay.keys()) {
      if (response.writableEnded && !response.writableFinished) return true;
    }
    return false;
  }

  /** Makes the newest answer of each connection its last one, where its headers are not yet out. */
  endConnections(): void {
    const newest = new Map(
      [...this.#underWay].map(([response, { request }]) => [request.socket, response]),
    );
    for (const response of newest.values()) {
      if (!response.headersSent) response.shouldKeepAlive = false;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [response, entry] of this.#underWay) {
      const { request } = entry;
      // A response that waits behind another one is not told that its connection is gone.
      if (request.socket.destroyed) this.#underWay.delete(response);
      // Until the request is complete Node's own request time-out counts, unless its answer is already out.
      else if (!request.complete && !response.headersSent) continue;
      else if (entry.since === 0) entry.since = now;
      // A reset, not a graceful end: that would wait for the reader, too.
      else if (now - entry.since > RESPONSE_WRITE_TIMEOUT_MS) request.socket.resetAndDestroy();
    }
  }
}
