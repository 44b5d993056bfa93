// Requests, errors and p95 of the last sixty minutes. Nothing is added to a request: the counts
// that the metrics have anyway are read once a minute, and a minute is the difference of two.

import { type Minute, timeOf } from './status.js';

const MINUTES = 60;
const PERCENTILE = 0.95;

/** The counts since the start. `buckets`: for each bound, how many requests took at most that; the last one is all. */
export interface RequestCounts {
  readonly total: number;
  readonly failed: number;
  readonly buckets: readonly number[];
}

type Reading = RequestCounts & { readonly at: number };

export class LastHour {
  readonly #read: () => RequestCounts;
  readonly #bounds: readonly number[];
  /** Oldest first. */
  readonly #readings: Reading[] = [];

  /** `bounds`: in seconds, of the buckets. `now`: milliseconds since 1970, UTC. */
  constructor(bounds: readonly number[], read: () => RequestCounts, now: number) {
    this.#bounds = bounds;
    this.#read = read;
    this.tick(now);
  }

  /** To be called once a minute. */
  tick(now: number): void {
    this.#readings.push({ at: now, ...this.#read() });
    if (this.#readings.length > MINUTES) this.#readings.shift();
  }

  /** Oldest first; the last one is under way. The minute in which the clock was set back is left out. */
  minutes(now: number): Minute[] {
    const readings = [...this.#readings, { at: now, ...this.#read() }];
    return readings.slice(1).flatMap((reading, index) => {
      const before = readings[index] as Reading;
      return reading.at > before.at ? [this.#between(before, reading)] : [];
    });
  }

  #between(before: Reading, after: Reading): Minute {
    const counts = after.buckets.map((count, bucket) => count - (before.buckets[bucket] ?? 0));
    const wanted = PERCENTILE * (counts.at(-1) ?? 0);
    const bucket = counts.findIndex((count) => count >= wanted);
    return {
      from: timeOf(before.at),
      to: timeOf(after.at),
      requests: after.total - before.total,
      failed: after.failed - before.failed,
      p95_seconds: wanted > 0 ? (this.#bounds[bucket] ?? this.#bounds.at(-1) ?? null) : null,
    };
  }
}
