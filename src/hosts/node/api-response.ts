// One answer of the API, and what is measured of it.

import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServiceEvents } from '../../core/service-events.js';

/** The route of a request that matched none, and the method of bytes that aren't a request. */
export const OTHER = 'other';

export class ApiResponse extends ServerResponse {
  /** The handler writes the pattern of the request's route here. */
  route = OTHER;
  /** Begins the request, once the answers before it are written. */
  begin: ((response: ApiResponse) => void) | undefined;
  /** Called when it is the turn of a request that had to wait. */
  onTurn: (() => void) | undefined;
  /** When the answer became due, in milliseconds of `performance.now`. */
  dueSince: number | undefined;
  /** Node's account of what waits to be sent on the connection; above the high-water mark it stops reading. */
  declare _onPendingData: (bytes: number) => void;
  #finish: ((aborted: boolean) => void) | undefined;
  #headers: Readonly<Record<string, string>> = {};

  /** Measures from now to the last byte of the answer, or to the end of the connection. */
  measure(events: ServiceEvents | undefined, socket: Duplex | Socket): void {
    if (events === undefined || !('bytesWritten' in socket)) return;
    const startedAt = performance.now();
    const { bytesWritten } = socket;
    this.#finish = (aborted) =>
      events.requestFinished({
        route: this.route,
        method: this.req.method ?? OTHER,
        status: this.headersSent ? this.statusCode : undefined,
        milliseconds: performance.now() - startedAt,
        aborted,
        requestId: this.#headers['X-Request-ID'] ?? this.#headers['x-request-id'],
        bytes: socket.bytesWritten - bytesWritten,
      });
  }

  /** Call it at the end of the answer or of the connection; the first call counts. */
  finish(aborted: boolean): void {
    this.#finish?.(aborted);
    this.#finish = undefined;
  }

  /** Node calls this method when the answers before this one are written, if there are any. */
  override assignSocket(socket: Socket): void {
    super.assignSocket(socket);
    // In an event-loop turn of its own: others are served between the answers of a pipeline.
    if (this.onTurn !== undefined) setImmediate(this.onTurn);
  }

  /** Node calls this method when it has given the last byte to the system. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    this.finish(false);
  }

  /**
   * Headers are sent with the first piece of the body, byte by byte. If they were flushed alone, Node
   * would write them as UTF-8: a byte above 7F of an echoed request id would become two bytes.
   */
  override flushHeaders(): void {}

  /** For a client that is gone, Node would make an error with a stack trace; a request that broke off has its answer. */
  get #isOver(): boolean {
    return this.destroyed || this.writableEnded;
  }

  override writeHead(...all: unknown[]): this {
    if (this.#isOver) return this;
    this.#headers = all.at(-1) as Readonly<Record<string, string>>;
    return (super.writeHead as (...all: unknown[]) => this).apply(this, all);
  }

  override write(...all: unknown[]): boolean {
    return this.#isOver || (super.write as (...all: unknown[]) => boolean).apply(this, all);
  }

  override end(...all: unknown[]): this {
    return this.#isOver ? this : (super.end as (...all: unknown[]) => this).apply(this, all);
  }
}
