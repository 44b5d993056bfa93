// One request as it is measured on a connection: from its headers to the last
// byte of its answer, or to the end of its connection.

import type { IncomingMessage } from 'node:http';
import type { FinishedRequest, ServiceEvents } from '../../core/service-events.js';

/** The route of a request for which the handler found none. */
const NO_ROUTE = 'other';

/** The measured facts of an answer. */
export interface MeteredAnswer {
  readonly statusCode: number;
  readonly headersSent: boolean;
  readonly requestId: string | undefined;
}

export class MeteredExchange implements FinishedRequest {
  route = NO_ROUTE;
  status: number | undefined;
  milliseconds = 0;
  aborted = false;
  bytes = 0;
  readonly #request: IncomingMessage | undefined;
  readonly #answer: MeteredAnswer | undefined;
  readonly #sent: SentBytes;
  readonly #events: ServiceEvents;
  readonly #startedAt = performance.now();

  /** Without a request if the bytes were no request. */
  constructor(
    events: ServiceEvents,
    sent: SentBytes,
    request?: IncomingMessage,
    answer?: MeteredAnswer,
  ) {
    this.#events = events;
    this.#sent = sent;
    this.#request = request;
    this.#answer = answer;
  }

  get method(): string {
    return this.#request?.method ?? NO_ROUTE;
  }

  get requestId(): string | undefined {
    return this.#answer?.requestId;
  }

  /** Call it when the answer is written to its end. */
  written(): void {
    this.#finish(this.#answer?.statusCode, false);
  }

  /** Call it when the connection ends. It does nothing if the answer was written before. */
  cut(): void {
    const { headersSent = false, statusCode } = this.#answer ?? {};
    this.#finish(headersSent ? statusCode : undefined, true);
  }

  /** Call it when the protocol was broken: this status was the last answer of the connection. */
  refused(status: number): void {
    this.#finish(status, false);
  }

  #finish(status: number | undefined, aborted: boolean): void {
    if (this.milliseconds !== 0) return;
    this.status = status;
    this.aborted = aborted;
    this.bytes = this.#sent.sinceLast();
    // Never 0, because 0 means "not finished".
    this.milliseconds = performance.now() - this.#startedAt || Number.MIN_VALUE;
    this.#events.requestFinished(this);
  }
}

/** Counts the bytes that a connection sent, answer by answer. */
export class SentBytes {
  readonly #socket: { readonly bytesWritten?: number };
  #counted = 0;

  constructor(socket: { readonly bytesWritten?: number }) {
    this.#socket = socket;
  }

  sinceLast(): number {
    const written = this.#socket.bytesWritten ?? 0;
    const bytes = written - this.#counted;
    this.#counted = written;
    return bytes;
  }
}
