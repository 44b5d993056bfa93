// Every open connection and its requests under way. This file enforces "the contract's
// response write time-out", which Node does not have: without it, a client that never
// reads its answer would hold the answer's memory for ever.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';
import type { ServiceEvents } from '../service-events.js';
import { type MeteredAnswer, MeteredExchange, SentBytes } from './metered-exchange.js';

/** Time between two checks of the deadlines; a connection lives at most this much longer. */
const SWEEP_INTERVAL_MS = 250;

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Undefined when nothing is measured. */
  readonly metered?: MeteredExchange | undefined;
}

/** The requests of one connection. It has no listener for the end of an answer: that would cost time in every request. */
class Connection {
  readonly socket: Socket;
  readonly sent: SentBytes;
  /** Oldest first. Finished ones are removed when the list is read. */
  readonly #exchanges: Exchange[] = [];
  /** The exchange whose answer is due, and the time since when, in milliseconds of `performance.now`. */
  #due: { readonly exchange: Exchange; readonly since: number } | undefined;
  /** The newest request of the connection, finished or not. */
  newest: Exchange | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.sent = new SentBytes(socket);
  }

  /** Adds a request. Returns the response before it if that is not yet written. */
  begin(exchange: Exchange): ServerResponse | undefined {
    const before = this.underWay.at(-1);
    this.#exchanges.push(exchange);
    this.newest = exchange;
    return before?.response;
  }

  /** Call it when the connection is gone: answers that are not yet written are lost. */
  cut(): void {
    for (const { metered } of this.#exchanges) metered?.cut();
  }

  get underWay(): readonly Exchange[] {
    while (this.#exchanges[0]?.response.writableFinished) this.#exchanges.shift();
    return this.#exchanges;
  }

  /** Whether the oldest answer has been due for longer than the contract allows. */
  isOverdue(now: number): boolean {
    const [exchange] = this.underWay;
    // Until the request is complete, Node's request time-out applies, unless the answer has begun.
    if (!exchange || !(exchange.request.complete || exchange.response.headersSent)) return false;
    if (this.#due?.exchange !== exchange) this.#due = { exchange, since: now };
    return now - this.#due.since > RESPONSE_WRITE_TIMEOUT_MS;
  }
}

export class Connections {
  /** A closed connection is removed with its exchanges, because a queued response gets no event. */
  readonly #open = new Map<Duplex, Connection>();
  /** From here on every answer is the last one of its connection. */
  isEnding = false;
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();

  readonly #events: ServiceEvents | undefined;

  /** Without `events` nothing is measured. */
  constructor(server: Server, events?: ServiceEvents) {
    this.#events = events;
    server.on('connection', (socket) => {
      this.#open.set(socket, new Connection(socket));
      socket.once('close', () => {
        this.#open.get(socket)?.cut();
        this.#open.delete(socket);
      });
    });
  }

  /** Adds a request. Returns the response before it on the same connection if that is not yet written. */
  begin(exchange: Exchange): ServerResponse | undefined {
    return this.#open.get(exchange.request.socket)?.begin(exchange);
  }

  /** Measures a request, or the bytes that broke a connection; undefined when nothing is measured. */
  metered(
    socket: Duplex,
    request?: IncomingMessage,
    answer?: MeteredAnswer,
  ): MeteredExchange | undefined {
    const connection = this.#open.get(socket);
    if (this.#events === undefined || connection === undefined) return undefined;
    return new MeteredExchange(this.#events, connection.sent, request, answer);
  }

  get count(): number {
    return this.#open.size;
  }

  /** The newest request. If a connection breaks, this request's body or the bytes after it broke it. */
  newest(socket: Duplex): Exchange | undefined {
    return this.#open.get(socket)?.newest;
  }

  /** The requests under way on a connection, the oldest first. */
  underWay(socket: Duplex): readonly Exchange[] {
    return this.#open.get(socket)?.underWay ?? [];
  }

  /** Exchanges whose response is not yet written to its end. */
  get underWayCount(): number {
    let count = 0;
    for (const { underWay } of this.#open.values()) count += underWay.length;
    return count;
  }

  /** Whether a complete answer is still unread by its client. Node treats such a connection as idle. */
  get isWriting(): boolean {
    return [...this.#open.values()].some(({ underWay }) =>
      underWay.some(({ response }) => response.writableEnded && !response.writableFinished),
    );
  }

  /** Makes the newest answer of each connection its last one if its headers are not yet sent, and so for every later answer. */
  endAfterAnswers(): void {
    this.isEnding = true;
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
      // Resets the connection, because a graceful end would also wait for the reader.
      if (connection.isOverdue(now)) connection.socket.resetAndDestroy();
    }
  }
}
