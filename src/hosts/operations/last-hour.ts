// Requests, errors and p95 of the last sixty minutes. Nothing is added to a request: the counts
// that the metrics have anyway are read once a minute, and a minute is the difference of two.

const MINUTES = 60;
const PERCENTILE = 0.95;

/** The counts since the start. `buckets`: for each bound, how many requests took at most that; the last one is all. */
export interface RequestCounts {
  readonly total: number;
  readonly failed: number;
  readonly buckets: readonly number[];
}

/** What happened between two readings. Times in milliseconds since 1970, UTC. */
export interface Minute {
  readonly from: number;
  readonly to: number;
  readonly requests: number;
  /** Answered 500 or above. */
  readonly failed: number;
  /** The upper bound of its bucket; above the highest bound that one, as Prometheus has it. Undefined without requests. */
  readonly p95Seconds: number | undefined;
}

interface Reading extends RequestCounts {
  readonly at: number;
}

export class LastHour {
  readonly #read: () => RequestCounts;
  readonly #bounds: readonly number[];
  /** Oldest first. */
  readonly #readings: Reading[] = [];

  /** `bounds`: in seconds, of the buckets. */
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

  /** Oldest first; the last one is under way. A clock that was set back leaves out the minute in which it was. */
  minutes(now: number): Minute[] {
    const readings = [...this.#readings, { at: now, ...this.#read() }];
    return readings.slice(1).flatMap((reading, index) => {
      const before = readings[index] as Reading;
      return reading.at > before.at ? [this.#between(before, reading)] : [];
    });
  }

  #between(before: Reading, after: Reading): Minute {
    const counts = after.buckets.map((count, bucket) => count - (before.buckets[bucket] ?? 0));
    const requests = after.total - before.total;
    const wanted = PERCENTILE * (counts.at(-1) ?? 0);
    const bucket = counts.findIndex((count) => count >= wanted);
    return {
      from: before.at,
      to: after.at,
      requests,
      failed: after.failed - before.failed,
      p95Seconds: wanted > 0 ? (this.#bounds[bucket] ?? this.#bounds.at(-1)) : undefined,
    };
  }
}
