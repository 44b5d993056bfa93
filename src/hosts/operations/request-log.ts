// The request log: one JSON line a request, written in batches. Lines are dropped, and counted, if
// the reader is slow; no answer ever waits for it.

import type { FinishedRequest } from '../../core/service-events.js';

/** How long a line may wait for others to be written with. */
const BATCH_MS = 100;
const BATCH_MAX_CHARACTERS = 65_536;
const FLUSH_MAX_MS = 1_000;
/** How much may wait for a slow reader before lines are dropped. */
const WAITING_MAX_CHARACTERS = 1_000_000;

export interface RequestLogOptions {
  /** Which requests get a line. */
  readonly choice: 'slow' | 'all';
  /** A request that takes this long is slow. */
  readonly slowMs: number;
  /** Resolves when the lines are handed over, so that the next batch may follow. Never rejects. */
  readonly write: (lines: string) => Promise<void>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class RequestLog {
  readonly #options: RequestLogOptions;
  #waiting = '';
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Lines that were not written because the reader was slow. */
  dropped = 0;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  add(request: FinishedRequest): void {
    const { choice, slowMs, clock } = this.#options;
    if (choice === 'slow' && request.milliseconds < slowMs) return;
    if (this.#waiting.length >= WAITING_MAX_CHARACTERS) {
      this.dropped++;
      return;
    }
    this.#waiting += lineOf(request, clock());
    if (this.#waiting.length >= BATCH_MAX_CHARACTERS) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), BATCH_MS);
  }

  /** Resolves when the lines so far are handed over, or after 1 s: a reader that stands still holds up no stop. */
  async flush(): Promise<void> {
    this.#write();
    const handOver = async () => {
      while (this.#writing !== undefined) await this.#writing;
    };
    await Promise.race([handOver(), new Promise((resolve) => setTimeout(resolve, FLUSH_MAX_MS))]);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch at a time: lines that come in the meantime wait, up to the limit.
    if (this.#writing !== undefined || this.#waiting === '') return;
    const lines = this.#waiting;
    this.#waiting = '';
    this.#writing = this.#options.write(lines).finally(() => {
      this.#writing = undefined;
      this.#write();
    });
  }
}

function lineOf(request: FinishedRequest, now: number): string {
  const { requestId = null, method, route, status = null, milliseconds, bytes, aborted } = request;
  const head = { time: new Date(now).toISOString(), level: 'info', event: 'request' };
  const took = { milliseconds: Math.round(milliseconds * 100) / 100, bytes, aborted };
  return `${JSON.stringify({ ...head, request_id: requestId, method, route, status, ...took })}\n`;
}
