// Tracks every open connection and its requests in progress. Enforces "the contract's response write
// time-out", which Node does not have: a client that never reads its response would hold the
// response's memory forever. Limits how many requests a client can pipeline.

import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nextTask } from '../../core/admission/fair-scheduler.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../core/domain/limits.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { type ApiResponse, OTHER_LABEL } from './api-response.js';

/** Time between two checks of the deadlines; a connection outlives its deadline by this at most. */
const SWEEP_INTERVAL_MS = 250;
/** A connection may always have this many pipelined requests waiting. */
const WAITING_MAX = 16;
/**
 * Limit for all connections together. Above it, a connection with more than `WAITING_MAX` is reset,
 * because Node parses everything it has read at once: 3,000 requests in 64 KiB take 5 MB.
 */
const WAITING_TOTAL_MAX = 8_192;
const DRAIN_CHECK_INTERVAL_MS = 50;
const ACCEPTING_TURNS_MAX = 256;

/** Handles its requests one at a time; while one waits, nothing more is read. */
interface Connection {
  readonly socket: Socket;
  /** Listens on every response. One for each connection, to avoid a closure for each request. */
  readonly onClose: () => void;
  /** Closed if no request is in progress. */
  current?: ApiResponse;
  readonly waiting: ApiResponse[];
  /** When the current response became due, in milliseconds of `performance.now`. */
  dueSince?: number | undefined;
  /** When the current request started; undefined if requests aren't measured. */
  startedAt: number;
  bytesBefore: number;
}

type HttpServer = Server<typeof IncomingMessage, typeof ApiResponse>;

export class Connections {
  readonly #server: HttpServer;
  readonly #events: ServiceEvents | undefined;
  readonly #open = new Map<Duplex, Connection>();
  /** Pipelined requests of all connections that have not started. */
  #waiting = 0;
  #accepted = 0;
  #isDraining = false;
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();

  /** Without `events` nothing is measured. */
  constructor(server: HttpServer, events?: ServiceEvents) {
    this.#server = server;
    this.#events = events;
    server.on('connection', (socket) => {
      this.#accepted++;
      const onClose = () => this.#onResponseClose(connection);
      const connection: Connection = { socket, onClose, waiting: [], startedAt: 0, bytesBefore: 0 };
      this.#open.set(socket, connection);
      // Node resumes a socket whenever a response is written or a body is read.
      socket.on('resume', () => {
        if (connection.waiting.length > 0) socket.pause();
      });
      socket.once('close', () => {
        this.#waiting -= connection.waiting.length;
        this.#open.delete(socket);
      });
    });
  }

  /** Handles a request, once the responses before it on its connection are written. */
  add(response: ApiResponse): void {
    const connection = this.#open.get(response.req.socket);
    // Node still parses what it has read from a connection that was reset.
    if (connection === undefined || connection.socket.destroyed) return;
    // Clients must not send another request on this connection.
    if (this.#isDraining) response.setHeader('Connection', 'close');
    const { current, waiting, socket } = connection;
    waiting.push(response);
    this.#waiting++;
    if (waiting.length === 1 && current?.closed !== false) this.#startNext(connection);
    else socket.pause();
    if (waiting.length > WAITING_MAX && this.#waiting > WAITING_TOTAL_MAX) socket.resetAndDestroy();
  }

  #onResponseClose(connection: Connection): void {
    const { current: response, waiting, socket, startedAt, bytesBefore } = connection;
    // In another event-loop turn, so that other connections get theirs between pipelined requests.
    if (waiting.length > 0) setImmediate(() => this.#startNext(connection));
    if (response === undefined) return;
    this.#events?.requestFinished({
      route: response.route,
      method: response.req.method ?? OTHER_LABEL,
      status: response.refusedWith ?? (response.headersSent ? response.statusCode : undefined),
      milliseconds: performance.now() - startedAt,
      aborted: !response.writableFinished && response.refusedWith === undefined,
      requestId: response.requestId,
      bytes: socket.bytesWritten - bytesBefore,
    });
  }

  #startNext(connection: Connection): void {
    const { socket, waiting } = connection;
    const response = socket.destroyed ? undefined : waiting.shift();
    if (response === undefined) return;
    this.#waiting--;
    if (waiting.length === 0 && socket.isPaused()) socket.resume();
    connection.current = response;
    response.hasStarted = true;
    connection.dueSince = undefined;
    if (this.#events !== undefined) {
      connection.startedAt = performance.now();
      connection.bytesBefore = socket.bytesWritten;
    }
    response.on('close', connection.onClose);
    response.handle(response);
  }

  /** The newest request: a parser error is in its body, or in the bytes after it. */
  newest(socket: Duplex): ApiResponse | undefined {
    const { waiting, current } = this.#open.get(socket) ?? {};
    return waiting?.at(-1) ?? current;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Requests whose response is not yet completely written. */
  get requestCount(): number {
    let count = this.#waiting;
    for (const { current } of this.#open.values()) if (current?.closed === false) count++;
    return count;
  }

  /**
   * Stops accepting connections after `graceMs`. Resolves when the last response is written; cuts
   * the remaining connections after `deadlineMs`. Call it once.
   */
  async drain(deadlineMs: number, graceMs = 0): Promise<void> {
    this.#isDraining = true;
    // This makes each response in progress the last one on its connection.
    for (const socket of this.#open.keys()) {
      const newest = this.newest(socket);
      if (newest?.headersSent === false) newest.setHeader('Connection', 'close');
    }
    if (graceMs > 0) await new Promise((end) => setTimeout(end, graceMs));
    // Closing resets connections in the kernel's backlog, so accept those first. Two tasks, because the
    // events of the current event-loop turn are already collected. Bounded, in case of a flood.
    for (let turn = 0, seen = -1; turn < ACCEPTING_TURNS_MAX && seen < this.#accepted; turn++) {
      seen = this.#accepted;
      await nextTask();
      await nextTask();
    }
    // The HTTP server's own `close` would cut complete responses that are not yet read.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(this.#server, () => resolve());
    });
    const idle = setInterval(() => {
      // Node treats a connection as idle while its client still reads the response.
      const isWriting = [...this.#open.values()].some(
        ({ current }) => current?.writableEnded && !current.closed,
      );
      // A kept-alive connection whose response had started before the stop would stay open.
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
    for (const connection of this.#open.values()) {
      const response = connection.current;
      if (response === undefined || response.closed) continue;
      // Until the request is complete, Node's request time-out applies, unless the response has started.
      if (!response.req.complete && !response.headersSent) continue;
      connection.dueSince ??= now;
      // A reset, because a graceful close would also wait for the reader.
      if (now - connection.dueSince > RESPONSE_WRITE_TIMEOUT_MS)
        connection.socket.resetAndDestroy();
    }
  }
}
