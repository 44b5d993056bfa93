// A provider that is down, a client with a stale token, a full disk or someone who guesses admin
// keys fails on every request: say it once, then at most once a minute with the count.

import type { Log, LogFields } from './log.js';

const INTERVAL_MS = 60_000;
/** Kinds of report in an interval; with more, an attacker with many addresses could fill the log's disk. */
const KINDS_MAX = 100;

export class ThrottledLog {
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #reported = new Map<string, { at: number; suppressed: number }>();

  constructor(log: Log, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Reports the event, and returns true, unless the same one was reported within the last minute. */
  warn(event: string, fields: LogFields): boolean {
    return this.#report(fields, [event], (all) => this.#log.warn(event, all));
  }

  /** The same for an error; it is the same one if its text is. */
  error(event: string, error: unknown, fields: LogFields): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#report(fields, [event, reason], (all) => this.#log.error(event, error, all));
  }

  #report(fields: LogFields, of: readonly string[], say: (fields: LogFields) => void): boolean {
    const kind = JSON.stringify([of, fields]);
    const now = this.#clock();
    const last = this.#reported.get(kind);
    // The absolute difference, so that a clock that was set back does not silence the log.
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
    const suppressed = last?.suppressed ?? 0;
    say(suppressed === 0 ? fields : { ...fields, suppressed });
    return true;
  }
}
