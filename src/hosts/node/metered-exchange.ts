// One request as it is measured on a connection.

import type { IncomingMessage } from 'node:http';
import type { FinishedRequest, ServiceEvents } from '../../core/service-events.js';

/** The route of a request that matched none. */
const NO_ROUTE = 'other';

/** The measured facts of an answer. */
export interface MeteredAnswer {
  readonly statusCode: number;
  readonly headersSent: boolean;
  readonly requestId: string | undefined;
}

/** A connection. */
interface SentBytes {
  /** The bytes sent since the last call. */
  takeSentBytes(): number;
}

/** One request as it is measured: from its headers to the last byte of its answer, or to the end of its connection. */
export class MeteredExchange implements FinishedRequest {
  route = NO_ROUTE;
  status: number | undefined;
  milliseconds = 0;
  aborted = false;
  bytes = 0;
  readonly #startedAt = performance.now();
  readonly #events: ServiceEvents;
  readonly #sent: SentBytes;
  readonly #request: IncomingMessage | undefined;
  readonly #answer: MeteredAnswer | undefined;

  /** Without a request if the bytes were none. */
  constructor(
    events: ServiceEvents,
    sent: SentBytes,
    request: IncomingMessage | undefined,
    answer: MeteredAnswer | undefined,
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

  /** Call it at the end of the answer or of the connection; the first call counts. `status`: of a last answer that is not the response. */
  finish(aborted: boolean, status?: number): void {
    if (this.milliseconds !== 0) return;
    this.status = status ?? (this.#answer?.headersSent ? this.#answer.statusCode : undefined);
    this.aborted = aborted;
    this.bytes = this.#sent.takeSentBytes();
    // Never 0, because 0 means "not finished".
    this.milliseconds = performance.now() - this.#startedAt || Number.MIN_VALUE;
    this.#events.requestFinished(this);
  }
}
