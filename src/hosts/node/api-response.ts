// One answer of the API, and what is measured of it.

import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceEvents } from '../../core/service-events.js';

/** The route of a request that matched none, and the method of bytes that are no request. */
export const OTHER = 'other';

/** A connection. */
interface SentBytes {
  /** The bytes sent since the last call. */
  takeSentBytes(): number;
}

export class ApiResponse extends ServerResponse {
  /** The handler writes the pattern of the request's route here. */
  route = OTHER;
  /** Begins the request, once the answers before it are written. */
  begin: ((response: ApiResponse) => void) | undefined;
  /** Called if the request had to wait, in its turn. */
  onTurn: (() => void) | undefined;
  /** Since when the answer is due, in milliseconds of `performance.now`. */
  dueSince: number | undefined;
  /** Node's account of what waits to be sent on the connection; above the high-water mark it stops reading. */
  declare _onPendingData: (bytes: number) => void;
  #events: ServiceEvents | undefined;
  #sent: SentBytes | undefined;
  #startedAt = 0;
  #headers: unknown;

  /** Measures from now to the last byte of the answer, or to the end of the connection. */
  measure(events: ServiceEvents | undefined, sent: SentBytes): void {
    if (events === undefined) return;
    this.#events = events;
    this.#sent = sent;
    this.#startedAt = performance.now();
  }

  /** Call it at the end of the answer or of the connection; the first call counts. */
  finish(aborted: boolean): void {
    const events = this.#events;
    if (events === undefined) return;
    this.#events = undefined;
    const headers = (this.#headers ?? {}) as Readonly<Record<string, string>>;
    events.requestFinished({
      route: this.route,
      method: this.req.method ?? OTHER,
      status: this.headersSent ? this.statusCode : undefined,
      milliseconds: performance.now() - this.#startedAt,
      aborted,
      requestId: headers['X-Request-ID'] ?? headers['x-request-id'],
      bytes: this.#sent?.takeSentBytes() ?? 0,
    });
  }

  /** Node calls this method when the answers before this one are written, if there are any. */
  override assignSocket(socket: Socket): void {
    super.assignSocket(socket);
    // In an event-loop turn of its own: others are served between the answers of a pipeline.
    if (this.onTurn !== undefined) setImmediate(this.onTurn);
  }

  /** Node calls this method when it has given the last byte to the system; a listener would cost time. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    this.finish(false);
  }

  /**
   * Headers are sent with the first piece of the body, byte by byte. If they were flushed alone, Node
   * would write them as UTF-8: a byte above 7F of an echoed request id would become two bytes.
   */
  override flushHeaders(): void {}

  // Below: for a client that has gone Node would make headers, and an error with its stack, in vain;
  // and a request that broke off may have been refused before its handler answers.

  get #isOver(): boolean {
    return this.destroyed || this.writableEnded;
  }

  override writeHead(...all: unknown[]): this {
    if (this.#isOver) return this;
    this.#headers = all.at(-1);
    return (super.writeHead as (...all: unknown[]) => this).apply(this, all);
  }

  override write(...all: unknown[]): boolean {
    return this.#isOver || (super.write as (...all: unknown[]) => boolean).apply(this, all);
  }

  override end(...all: unknown[]): this {
    if (this.#isOver) return this;
    return (super.end as (...all: unknown[]) => this).apply(this, all);
  }
}
