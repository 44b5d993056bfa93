// The request log: one JSON line per request, written in batches. Lines are dropped, and counted, if
// the reader is slow; no response ever waits for it.

import type { FinishedRequest } from '../../core/service-events.js';

/** How long a line may wait to be written in a batch. */
const BATCH_MS = 100;
const FLUSH_MAX_MS = 1_000;
/** How much may wait for a slow reader before lines are dropped. */
const WAITING_MAX_CHARACTERS = 1_000_000;

export type RequestLog = ReturnType<typeof openRequestLog>;

/** Logs requests that take at least `fromMs`. `print` resolves when the next batch may follow, and never rejects. */
export function openRequestLog(fromMs: number, print: (lines: string) => Promise<void>) {
  let waiting = '';
  let dropped = 0;
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    // One batch at a time; later lines wait, up to the limit.
    if (writing !== undefined || waiting === '') return;
    writing = print(waiting).finally(() => {
      writing = undefined;
      write();
    });
    waiting = '';
  }
  return {
    /** Lines that were not written because the reader was slow. */
    dropped: () => dropped,
    add(request: FinishedRequest): void {
      if (request.milliseconds < fromMs) return;
      if (waiting.length >= WAITING_MAX_CHARACTERS) dropped++;
      else waiting += lineOf(request);
      timer ??= setTimeout(write, BATCH_MS);
    },
    /** Resolves when the lines so far are printed, or after 1 s, so that a stalled reader can't block a stop. */
    async flush(): Promise<void> {
      write();
      const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_MAX_MS));
      // At most one batch is in progress, and one more waits for it.
      await Promise.race([writing?.then(() => writing), timeout]);
    },
  };
}

function lineOf(request: FinishedRequest): string {
  const { requestId = null, method, route, status = null, milliseconds, bytes, aborted } = request;
  const head = { time: new Date().toISOString(), level: 'info', event: 'request' };
  const took = { milliseconds: Math.round(milliseconds * 100) / 100, bytes, aborted };
  return `${JSON.stringify({ ...head, request_id: requestId, method, route, status, ...took })}\n`;
}
