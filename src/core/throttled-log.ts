// A provider that is down, a client with a stale token, a full disk or a guessed admin key causes a failure
// on every request. Each is logged once, then at most once a minute with the count.

import type { Log, LogFields } from './log.js';

const INTERVAL_MS = 60_000;
/** Different reports in an interval. Without a limit, an attacker with many addresses could fill the log's disk. */
const KINDS_MAX = 100;

export class ThrottledLog {
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #reported = new Map<string, { at: number; suppressed: number }>();

  constructor(log: Log, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Logs the event, as an error if there is one, and returns true, unless the same was logged within the last minute. */
  report(event: string, fields: LogFields, ...errors: readonly unknown[]): boolean {
    const kind = JSON.stringify([event, fields, errors.map(String)]);
    const now = this.#clock();
    const last = this.#reported.get(kind);
    // The absolute difference, so that a clock that was set back doesn't silence the log.
    if (last !== undefined && Math.abs(now - last.at) < INTERVAL_MS) {
      last.suppressed++;
      return false;
    }
    if (this.#reported.size >= KINDS_MAX) {
      for (const [old, { at }] of this.#reported) {
        if (Math.abs(now - at) >= INTERVAL_MS) this.#reported.delete(old);
      }
      if (this.#reported.size >= KINDS_MAX) return false;
    }
    this.#reported.set(kind, { at: now, suppressed: 0 });
    const all = last?.suppressed ? { ...fields, suppressed: last.suppressed } : fields;
    if (errors.length === 0) this.#log.warn(event, all);
    else this.#log.error(event, errors[0], all);
    return true;
  }
}
