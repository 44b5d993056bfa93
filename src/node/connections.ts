// Every open connection and what is under way on it. Enforces the contract's
// response write time-out, which Node does not have: a client that never reads
// its answer would hold the answer's memory for ever.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';

/** How often the deadlines are looked at; a connection lives at most this much longer. */
const SWEEP_INTERVAL_MS = 250;

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a connection works on. Nothing is told when an answer ends: a listener each would cost every request. */
class Connection {
  readonly socket: Socket;
  /** Oldest first; finished ones go when somebody looks. */
  readonly #exchanges: Exchange[] = [];
  /** The exchange whose answer was last seen to be due, and when, in `performance.now` milliseconds. */
  #due: { readonly exchange: Exchange; readonly since: number } | undefined;
  /** The newest request of the connection, finished or not. */
  newest: Exchange | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Takes note of a request; gives the response before it, if that is not yet written. */
  begin(exchange: Exchange): ServerResponse | undefined {
    const before = this.underWay.at(-1);
    this.#exchanges.push(exchange);
    this.newest = exchange;
    return before?.response;
  }

  get underWay(): readonly Exchange[] {
    while (this.#exchanges[0]?.response.writableFinished) this.#exchanges.shift();
    return this.#exchanges;
  }

  /** Whether the oldest answer has been due for longer than the contract allows. */
  isOverdue(now: number): boolean {
    const [exchange] = this.underWay;
    // Until the request is complete Node's own request time-out counts, unless its answer is already out.
    if (!exchange || !(exchange.request.complete || exchange.response.headersSent)) return false;
    if (this.#due?.exchange !== exchange) this.#due = { exchange, since: now };
    return now - this.#due.since > RESPONSE_WRITE_TIMEOUT_MS;
  }
}

export class Connections {
  /** A connection that is gone takes its exchanges with it; a queued response is not told that it is. */
  readonly #open = new Map<Duplex, Connection>();
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#open.set(socket, new Connection(socket));
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Takes note of a request; gives the response before it on the same connection, if that is not yet written. */
  begin(exchange: Exchange): ServerResponse | undefined {
    return this.#open.get(exchange.request.socket)?.begin(exchange);
  }

  /** What breaks on a connection is its newest request's body, or what follows it. */
  newest(socket: Duplex): Exchange | undefined {
    return this.#open.get(socket)?.newest;
  }

  /** What is under way on a connection, the oldest first. */
  underWay(socket: Duplex): readonly Exchange[] {
    return this.#open.get(socket)?.underWay ?? [];
  }

  /** Exchanges whose response is not yet written to its end. */
  get underWayCount(): number {
    let count = 0;
    for (const { underWay } of this.#open.values()) count += underWay.length;
    return count;
  }

  /** Whether an answer is complete and its client has yet to read it: Node takes such a connection for an idle one. */
  get isWriting(): boolean {
    return [...this.#open.values()].some(({ underWay }) =>
      underWay.some(({ response }) => response.writableEnded && !response.writableFinished),
    );
  }

  /** Makes the newest answer of each connection its last one, where its headers are not yet out. */
  endAfterAnswers(): void {
    for (const { underWay } of this.#open.values()) {
      const response = underWay.at(-1)?.response;
      if (response?.headersSent === false) response.shouldKeepAlive = false;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#open.values()) {
      // A reset, not a graceful end: that would wait for the reader, too.
      if (connection.isOverdue(now)) connection.socket.resetAndDestroy();
    }
  }
}
