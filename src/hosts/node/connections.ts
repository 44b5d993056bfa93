// Every open connection and its requests under way. It enforces "the contract's response write
// time-out", which Node does not have: a client that never reads its answer would hold the
// answer's memory for ever. It bounds what a client sends without waiting for answers.

import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../core/domain/limits.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { ApiResponse } from './api-response.js';

/** Time between two checks of the deadlines; a connection outlives its deadline by this at most. */
const SWEEP_INTERVAL_MS = 250;
/** Requests of one connection that wait behind another and are always kept. */
const WAITING_MAX = 16;
/**
 * Of all connections. Above it a connection with more than `WAITING_MAX` is reset: Node parses all
 * that it has read at once, and 3,000 requests in 64 KiB take 5 MB.
 */
const WAITING_TOTAL_MAX = 8_192;

/** The requests of one connection are answered one after the other: while one waits, nothing more is read. */
class Connection {
  readonly socket: Socket;
  /** To the request that has begun last. */
  begun: ApiResponse | undefined;
  /** To the request that arrived last. */
  newest: ApiResponse | undefined;
  /** How many requests wait behind the one that has begun. */
  waiting = 0;
  isPipelining = false;
  #sentBytes = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  takeSentBytes(): number {
    const { bytesWritten } = this.socket;
    const bytes = bytesWritten - this.#sentBytes;
    this.#sentBytes = bytesWritten;
    return bytes;
  }
}

export class Connections {
  readonly #open = new Map<Duplex, Connection>();
  /** Requests of all connections that wait behind another. */
  #waiting = 0;
  /** From here on every answer is the last one of its connection. */
  isEnding = false;
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
  readonly #events: ServiceEvents | undefined;

  /** Without `events` nothing is measured. */
  constructor(server: Server, events?: ServiceEvents) {
    this.#events = events;
    server.on('connection', (socket) => {
      const connection = new Connection(socket);
      this.#open.set(socket, connection);
      socket.once('close', () => {
        connection.begun?.finish(true);
        this.#waiting -= connection.waiting;
        this.#open.delete(socket);
      });
    });
  }

  /** Begins a request, at once or when the answers before it on its connection are written. */
  add(response: ApiResponse): void {
    const connection = this.#open.get(response.req.socket);
    // Node continues with what it has read, also of a connection that was reset.
    if (connection === undefined || connection.socket.destroyed) return;
    connection.newest = response;
    // Node gives the socket to one response after the other.
    if (response.socket === null) this.#queue(response, connection);
    else this.#begin(response, connection);
  }

  #begin(response: ApiResponse, connection: Connection): void {
    connection.begun = response;
    response.measure(this.#events, connection);
    response.begin?.(response);
  }

  #queue(response: ApiResponse, connection: Connection): void {
    const { socket } = connection;
    // Counts as an answer that waits to be sent, and Node reads no more while there is one.
    const held = socket.writableHighWaterMark + 1;
    response._onPendingData(held);
    connection.waiting++;
    this.#waiting++;
    response.onTurn = () => {
      if (socket.destroyed) return;
      connection.waiting--;
      this.#waiting--;
      response._onPendingData(-held);
      this.#begin(response, connection);
    };
    if (!connection.isPipelining) closeWithoutStackTraces(socket);
    connection.isPipelining = true;
    if (connection.waiting > WAITING_MAX && this.#waiting > WAITING_TOTAL_MAX) {
      socket.resetAndDestroy();
    }
  }

  /** Measures an answer to bytes that are no request. */
  measure(response: ApiResponse, socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) response.measure(this.#events, connection);
  }

  get count(): number {
    return this.#open.size;
  }

  /** The answer to the newest request, finished or not. If a connection breaks, its body or the bytes after it broke it. */
  newest(socket: Duplex): ApiResponse | undefined {
    return this.#open.get(socket)?.newest;
  }

  /** Requests whose answer is not yet written to its end. */
  get underWayCount(): number {
    let count = this.#waiting;
    for (const { begun } of this.#open.values()) if (begun?.writableFinished === false) count++;
    return count;
  }

  /** Whether a complete answer is still unread by its client. Node treats such a connection as idle. */
  get isWriting(): boolean {
    return [...this.#open.values()].some(
      ({ begun }) => begun?.writableEnded && !begun.writableFinished,
    );
  }

  /** Makes the newest answer of each connection its last one if its headers are not yet sent, and so for every later answer. */
  endAfterAnswers(): void {
    this.isEnding = true;
    for (const { newest } of this.#open.values()) {
      if (newest?.headersSent === false) newest.shouldKeepAlive = false;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const { socket, begun } of this.#open.values()) {
      if (begun === undefined || begun.writableFinished) continue;
      // Until the request is complete, Node's request time-out applies, unless the answer has begun.
      if (!begun.req.complete && !begun.headersSent) continue;
      begun.dueSince ??= now;
      // A reset, because a graceful end would wait for the reader, too.
      if (now - begun.dueSince > RESPONSE_WRITE_TIMEOUT_MS) socket.resetAndDestroy();
    }
  }
}

/** For each request that waits on a closed connection Node makes an error: 3,000 stack traces took 120 ms. */
function closeWithoutStackTraces(socket: Socket): void {
  const limit = Error.stackTraceLimit;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = limit;
  });
}
