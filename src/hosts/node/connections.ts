// Every open connection and its requests under way. It enforces "the contract's response write
// time-out", which Node does not have: a client that never reads its answer would hold the
// answer's memory for ever. It bounds what a client sends without waiting for answers.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../core/domain/limits.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { type MeteredAnswer, MeteredExchange } from './metered-exchange.js';

/** Time between two checks of the deadlines; a connection outlives its deadline by this at most. */
const SWEEP_INTERVAL_MS = 250;
/**
 * Requests of one connection that wait behind another and are always kept. Node reads up to
 * 64 KiB at once and has parsed all the requests in it before any of them can be answered.
 */
const QUEUED_MAX = 16;
/** Of all connections. Above it a connection with more than `QUEUED_MAX` is reset: 3,000 requests in 64 KiB take 5 MB. */
const QUEUED_TOTAL_MAX = 8_192;

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called once, when the answers before it are written. */
  readonly begin: (exchange: Exchange) => void;
  /** Undefined if nothing is measured, and until the request begins. */
  metered?: MeteredExchange | undefined;
}

/**
 * The requests of one connection. They are answered one after the other: while one waits for its
 * turn, nothing more is read. There is no listener for the end of an answer that no request waits
 * for: that would cost time in every request.
 */
class Connection {
  readonly socket: Socket;
  /** The request that has begun last. */
  begun: Exchange | undefined;
  /** Requests behind it, oldest first. */
  queued: Exchange[] = [];
  /** Requests of all connections that wait behind another. */
  readonly #total: { count: number };
  #isPipelining = false;
  #sentBytes = 0;
  /** The exchange whose answer is due, and the time since when, in milliseconds of `performance.now`. */
  #due: { readonly exchange: Exchange; readonly since: number } | undefined;

  constructor(socket: Socket, total: { count: number }) {
    this.socket = socket;
    this.#total = total;
  }

  /** Begins a request, at once or when the answers before it are written. */
  add(exchange: Exchange): void {
    const before = this.begun;
    // One that waits may be about to begin, although the answer before it is written.
    if (this.queued.length === 0 && isWritten(before)) {
      this.begun = exchange;
      exchange.begin(exchange);
      return;
    }
    // Node continues with what it has read, also of a connection that was reset.
    if (this.socket.destroyed) return;
    this.queued.push(exchange);
    this.#total.count++;
    this.#stopReading();
    if (this.queued.length === 1 && before !== undefined) this.#beginNextAfter(before);
    if (this.queued.length > QUEUED_MAX && this.#total.count > QUEUED_TOTAL_MAX) {
      this.dropQueued();
      this.socket.resetAndDestroy();
    }
  }

  #stopReading(): void {
    stopReading(this.socket);
    if (this.#isPipelining) return;
    this.#isPipelining = true;
    closeWithoutStackTraces(this.socket);
    // Node resumes reading after an answer, whatever waits.
    this.socket.on('drain', () => {
      if (this.queued.length > 0) stopReading(this.socket);
    });
  }

  #beginNextAfter({ response }: Exchange): void {
    // In an event-loop turn of its own: others are served between the answers of a pipeline.
    response.once('close', () => setImmediate(() => this.#beginNext()));
  }

  #beginNext(): void {
    if (this.socket.destroyed) return;
    const next = this.queued.shift();
    if (next === undefined) return;
    this.#total.count--;
    this.begun = next;
    if (this.queued.length > 0) this.#beginNextAfter(next);
    else resumeReading(this.socket);
    next.begin(next);
  }

  dropQueued(): void {
    this.#total.count -= this.queued.length;
    this.queued = [];
  }

  /** The bytes sent since the last call. */
  takeSentBytes(): number {
    const { bytesWritten } = this.socket;
    const bytes = bytesWritten - this.#sentBytes;
    this.#sentBytes = bytesWritten;
    return bytes;
  }

  /** Requests whose answer is not yet written to its end, the oldest first. */
  get underWay(): readonly Exchange[] {
    const { begun, queued } = this;
    return begun === undefined || isWritten(begun) ? queued : [begun, ...queued];
  }

  /** Whether the oldest answer has been due for longer than that. */
  isOverdue(now: number, writeMaxMs: number): boolean {
    const exchange = this.begun;
    if (exchange === undefined || isWritten(exchange)) return false;
    // Until the request is complete, Node's request time-out applies, unless the answer has begun.
    if (!exchange.request.complete && !exchange.response.headersSent) return false;
    if (this.#due?.exchange !== exchange) this.#due = { exchange, since: now };
    return now - this.#due.since > writeMaxMs;
  }
}

export class Connections {
  /** A closed connection is removed with its exchanges, because a queued response gets no event. */
  readonly #open = new Map<Duplex, Connection>();
  readonly #queuedTotal = { count: 0 };
  /** From here on every answer is the last one of its connection. */
  isEnding = false;
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
  readonly #events: ServiceEvents | undefined;

  /** Without `events` nothing is measured. */
  constructor(server: Server, events?: ServiceEvents) {
    this.#events = events;
    server.on('connection', (socket) => {
      const connection = new Connection(socket, this.#queuedTotal);
      this.#open.set(socket, connection);
      socket.once('close', () => {
        connection.begun?.metered?.finish(true);
        connection.dropQueued();
        this.#open.delete(socket);
      });
    });
  }

  /** Begins a request, at once or when the answers before it on its connection are written. */
  add(exchange: Exchange): void {
    const connection = this.#open.get(exchange.request.socket);
    if (connection === undefined) exchange.begin(exchange);
    else connection.add(exchange);
  }

  /** Measures a request, or the bytes that broke a connection; undefined if nothing is measured. */
  metered(
    socket: Duplex,
    request?: IncomingMessage,
    answer?: MeteredAnswer,
  ): MeteredExchange | undefined {
    const connection = this.#open.get(socket);
    if (this.#events === undefined || connection === undefined) return undefined;
    return new MeteredExchange(this.#events, connection, request, answer);
  }

  get count(): number {
    return this.#open.size;
  }

  /** The newest request, finished or not. If a connection breaks, its body or the bytes after it broke it. */
  newest(socket: Duplex): Exchange | undefined {
    const connection = this.#open.get(socket);
    return connection?.queued.at(-1) ?? connection?.begun;
  }

  /** The requests under way on a connection, the oldest first. */
  underWay(socket: Duplex): readonly Exchange[] {
    return this.#open.get(socket)?.underWay ?? [];
  }

  /** Exchanges whose response is not yet written to its end. */
  get underWayCount(): number {
    let { count } = this.#queuedTotal;
    for (const { begun } of this.#open.values()) if (!isWritten(begun)) count++;
    return count;
  }

  /** Whether a complete answer is still unread by its client. Node treats such a connection as idle. */
  get isWriting(): boolean {
    return [...this.#open.values()].some(
      ({ begun }) => begun?.response.writableEnded && !isWritten(begun),
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
      // Resets the connection, because a graceful end would wait for the reader, too.
      if (connection.isOverdue(now, RESPONSE_WRITE_TIMEOUT_MS)) connection.socket.resetAndDestroy();
    }
  }
}

/** Whether no answer is due: none was begun, or it is written to its end. */
function isWritten(exchange: Exchange | undefined): boolean {
  return exchange === undefined || exchange.response.writableFinished;
}

/** What Node's HTTP server itself sets on a connection whose answers pile up; its types lack it. */
interface PausableSocket extends Socket {
  _paused?: boolean;
  parser?: { resume(): void } | null;
}

/** `pause` alone is undone at the end of each message, and by each `drain`. */
function stopReading(socket: PausableSocket): void {
  if (socket._paused) return;
  socket._paused = true;
  socket.pause();
}

function resumeReading(socket: PausableSocket): void {
  socket._paused = false;
  socket.parser?.resume();
  socket.resume();
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
