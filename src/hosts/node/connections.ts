// Every open connection and its requests under way. It enforces "the contract's response write
// time-out", which Node does not have: a client that never reads its answer would hold the
// answer's memory forever. It bounds what a client sends without waiting for answers.

import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nextTask } from '../../core/admission/fair-scheduler.js';
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
const DRAIN_CHECK_INTERVAL_MS = 50;
const ACCEPTING_TURNS_MAX = 256;

/** The requests of one connection are answered one after the other: while one waits, nothing more is read. */
interface Connection {
  readonly socket: Socket;
  /** To the request that has begun last. */
  begun?: ApiResponse;
  /** To the request that arrived last. */
  newest?: ApiResponse;
  /** How many requests wait behind the one that has begun; undefined if none ever did. */
  waiting?: number;
}

type HttpServer = Server<typeof IncomingMessage, typeof ApiResponse>;

export class Connections {
  readonly #server: HttpServer;
  readonly events: ServiceEvents | undefined;
  readonly #open = new Map<Duplex, Connection>();
  /** Requests of all connections that wait behind another. */
  #waiting = 0;
  #accepted = 0;
  #isEnding = false;
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();

  /** Without `events` nothing is measured. */
  constructor(server: HttpServer, events?: ServiceEvents) {
    this.#server = server;
    this.events = events;
    server.on('connection', (socket) => {
      this.#accepted++;
      const connection: Connection = { socket };
      this.#open.set(socket, connection);
      socket.once('close', () => {
        connection.begun?.finish(true);
        this.#waiting -= connection.waiting ?? 0;
        this.#open.delete(socket);
      });
    });
  }

  /** Begins a request, at once or when the answers before it on its connection are written. */
  add(response: ApiResponse): void {
    const connection = this.#open.get(response.req.socket);
    // Node continues with what it has read, even from a connection that was reset.
    if (connection === undefined || connection.socket.destroyed) return;
    connection.newest = response;
    // Clients must not send another request on this connection.
    if (this.#isEnding) response.shouldKeepAlive = false;
    // Node gives the socket to one response after the other.
    if (response.socket === null) this.#queue(response, connection);
    else this.#begin(response, connection);
  }

  #begin(response: ApiResponse, connection: Connection): void {
    connection.begun = response;
    response.measure(this.events, connection.socket);
    response.begin?.(response);
  }

  #queue(response: ApiResponse, connection: Connection): void {
    const { socket } = connection;
    if (connection.waiting === undefined) closeWithoutStackTraces(socket);
    const wait = (change: 1 | -1) => {
      connection.waiting = (connection.waiting ?? 0) + change;
      this.#waiting += change;
      // Counts as an answer that waits to be sent, and Node reads no more while there is one.
      response._onPendingData(change * (socket.writableHighWaterMark + 1));
      return connection.waiting;
    };
    response.onTurn = () => {
      if (socket.destroyed) return;
      wait(-1);
      this.#begin(response, connection);
    };
    if (wait(1) > WAITING_MAX && this.#waiting > WAITING_TOTAL_MAX) socket.resetAndDestroy();
  }

  /** The answer to the newest request, finished or not. If a connection breaks, its body or the bytes after it broke it. */
  newest(socket: Duplex): ApiResponse | undefined {
    return this.#open.get(socket)?.newest;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Requests whose answer is not yet written to its end. */
  get requestCount(): number {
    let count = this.#waiting;
    for (const { begun } of this.#open.values()) if (begun?.writableFinished === false) count++;
    return count;
  }

  /**
   * Serves for another `leaveMs`, then accepts no connection. Resolves when the last answer is written,
   * or cuts the rest after `deadlineMs`. Call it once.
   */
  async drain(deadlineMs: number, leaveMs = 0): Promise<void> {
    this.#isEnding = true;
    // Every later answer is then the last one on its connection.
    for (const { newest } of this.#open.values())
      if (newest?.headersSent === false) newest.shouldKeepAlive = false;
    if (leaveMs > 0) await new Promise((end) => setTimeout(end, leaveMs));
    // Closing resets connections that the kernel has made and this process has yet to accept. The
    // events of the turn under way are read already: the next one counts. A flood is not waited out.
    for (let turn = 0, seen = -1; turn < ACCEPTING_TURNS_MAX && seen < this.#accepted; turn++) {
      seen = this.#accepted;
      await nextTask();
      await nextTask();
    }
    // The HTTP server's own `close` would cut answers that are complete and not yet read.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(this.#server, () => resolve());
    });
    const idle = setInterval(() => {
      // An answer that its client still reads: Node treats its connection as idle.
      const isWriting = [...this.#open.values()].some(
        ({ begun }) => begun?.writableEnded && !begun.writableFinished,
      );
      // A kept-alive connection whose answer had begun before the stop would stay open.
      if (!isWriting) this.#server.closeIdleConnections();
    }, DRAIN_CHECK_INTERVAL_MS);
    const deadline = setTimeout(() => this.#server.closeAllConnections(), deadlineMs);
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
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

/** Node makes an error for each request that waits on a closed connection: 3,000 stack traces took 120 ms. */
function closeWithoutStackTraces(socket: Socket): void {
  const limit = Error.stackTraceLimit;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = limit;
  });
}
