// The request log: one JSON line a request, written in batches. Lines are
// dropped, and counted, where the reader is slow; no answer ever waits for it.

import type { FinishedRequest } from '../../core/service-events.js';

/** How long a line may wait for others to be written with. */
const BATCH_MS = 100;
const BATCH_MAX_CHARACTERS = 65_536;
const FLUSH_MAX_MS = 1_000;
/** How much may wait for a slow reader before lines are dropped. */
const WAITING_MAX_CHARACTERS = 1_000_000;

/** Which requests get a line. */
export type RequestLogChoice = 'slow' | 'all';

/** Where lines go; resolves when they are handed over, so that the next batch may follow. Never rejects. */
export type WriteLines = (lines: string) => Promise<void>;

export interface RequestLogOptions {
  readonly choice: RequestLogChoice;
  /** From how long on a request is slow. */
  readonly slowMs: number;
  readonly write: WriteLines;
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
    const givenUp = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MAX_MS));
    const handOver = async () => {
      while (this.#writing !== undefined) await this.#writing;
    };
    await Promise.race([handOver(), givenUp]);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch at a time: later lines wait, up to the limit.
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
  const { requestId, method, route, status, milliseconds, bytes, aborted } = request;
  return `${JSON.stringify({
    time: new Date(now).toISOString(),
    level: 'info',
    event: 'request',
    request_id: requestId ?? null,
    method,
    route,
    status: status ?? null,
    milliseconds: Math.round(milliseconds * 100) / 100,
    bytes,
    aborted,
  })}\n`;
}
