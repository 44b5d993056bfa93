// Requests, errors and p95 of the last sixty minutes. Nothing is added to a request: the counts
// that the metrics have anyway are read once a minute, and a minute is the difference of two.

import { DURATION_BOUNDS_SECONDS, type RequestSeries } from './request-series.js';
import { type Minute, timeOf } from './status.js';

const MINUTES = 60;
const PERCENTILE = 0.95;

type Reading = RequestSeries['totals'] & { readonly at: number };

export class LastHour {
  readonly #requests: RequestSeries;
  /** Oldest first. */
  readonly #readings: Reading[] = [];

  constructor(requests: RequestSeries) {
    this.#requests = requests;
    this.tick();
  }

  /** To be called once a minute. */
  tick(): void {
    this.#readings.push(this.#read());
    if (this.#readings.length > MINUTES) this.#readings.shift();
  }

  /** Oldest first; the last one is under way. */
  get minutes(): Minute[] {
    const ends = [...this.#readings.slice(1), this.#read()];
    return this.#readings.map((before, index) => between(before, ends[index] ?? before));
  }

  #read(): Reading {
    return { at: Date.now(), ...this.#requests.totals };
  }
}

function between(before: Reading, after: Reading): Minute {
  const counts = after.buckets.map((count, bucket) => count - (before.buckets[bucket] ?? 0));
  const wanted = PERCENTILE * (counts.at(-1) ?? 0);
  const bound = DURATION_BOUNDS_SECONDS[counts.findIndex((count) => count >= wanted)];
  return {
    from: timeOf(before.at),
    to: timeOf(after.at),
    requests: after.total - before.total,
    failed: after.failed - before.failed,
    p95_seconds: wanted > 0 ? (bound ?? DURATION_BOUNDS_SECONDS.at(-1) ?? null) : null,
  };
}
