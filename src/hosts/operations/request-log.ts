// The request log: one JSON line a request, written in batches. Lines are dropped, and counted, if
// the reader is slow; no answer ever waits for it.

import type { FinishedRequest } from '../../core/service-events.js';

/** How long a line may wait for others to be written with. */
const BATCH_MS = 100;
const FLUSH_MAX_MS = 1_000;
/** How much may wait for a slow reader before lines are dropped. */
const WAITING_MAX_CHARACTERS = 1_000_000;

export class RequestLog {
  readonly #fromMs: number;
  readonly #handOver: (lines: string) => Promise<void>;
  #waiting = '';
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Lines that were not written because the reader was slow. */
  dropped = 0;

  /** A request that takes `fromMs` gets a line. `handOver` resolves when the next batch may follow, and never rejects. */
  constructor(fromMs: number, handOver: (lines: string) => Promise<void>) {
    this.#fromMs = fromMs;
    this.#handOver = handOver;
  }

  add(request: FinishedRequest): void {
    if (request.milliseconds < this.#fromMs) return;
    if (this.#waiting.length >= WAITING_MAX_CHARACTERS) {
      this.dropped++;
      return;
    }
    this.#waiting += lineOf(request);
    this.#timer ??= setTimeout(() => this.#write(), BATCH_MS);
  }

  /** Resolves when the lines so far are handed over, or after 1 s: a reader that stands still holds up no stop. */
  async flush(): Promise<void> {
    this.#write();
    const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MAX_MS));
    // At most one batch is under way, and one more waits for its end.
    await Promise.race([this.#writing?.then(() => this.#writing), late]);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch at a time: lines that come in the meantime wait, up to the limit.
    if (this.#writing !== undefined || this.#waiting === '') return;
    const lines = this.#waiting;
    this.#waiting = '';
    this.#writing = this.#handOver(lines).finally(() => {
      this.#writing = undefined;
      this.#write();
    });
  }
}

function lineOf(request: FinishedRequest): string {
  const { requestId = null, method, route, status = null, milliseconds, bytes, aborted } = request;
  const head = { time: new Date().toISOString(), level: 'info', event: 'request' };
  const took = { milliseconds: Math.round(milliseconds * 100) / 100, bytes, aborted };
  return `${JSON.stringify({ ...head, request_id: requestId, method, route, status, ...took })}\n`;
}
