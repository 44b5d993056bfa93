// Requests, failures and latency of the last hour, by the minute, as this console has read
// them from the operations port.

import { HOUR_MS } from '../../core/domain/hour.js';
import { type Buckets, percentile } from './operations-facts.js';

/** Pages read more often; these readings are not kept. */
const APART_MS = 30_000;

export interface CountReading {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  /** Of the service: another one counts from 0 again. */
  readonly startedAt: string | null;
  /** Requests since its start; `failed`: answered 500 or above. */
  readonly total: number;
  readonly failed: number;
  readonly buckets: Buckets;
}

/** What happened between two readings; most often a minute. */
export interface Stretch {
  /** Milliseconds since 1970, UTC. */
  readonly from: number;
  readonly to: number;
  readonly requests: number;
  readonly failed: number;
  /** 95 of 100 requests took at most so long; undefined where there were none. */
  readonly p95Seconds: number | undefined;
}

export class LastHour {
  /** Oldest first. */
  #readings: CountReading[] = [];

  add(reading: CountReading): void {
    const last = this.#readings.at(-1);
    // Also where the clock was set back: then the old readings say nothing.
    if (last !== undefined && reading.at < last.at) this.#readings = [];
    else if (last !== undefined && reading.at - last.at < APART_MS) return;
    this.#readings = [...this.#readings.filter(({ at }) => reading.at - at <= HOUR_MS), reading];
  }

  /** Oldest first. Nothing is known of the time in which the service was started anew. */
  get stretches(): readonly Stretch[] {
    return this.#readings.flatMap((reading, index) => {
      const before = this.#readings[index - 1];
      return before === undefined || before.startedAt !== reading.startedAt
        ? []
        : [between(before, reading)];
    });
  }
}

function between(before: CountReading, reading: CountReading): Stretch {
  return {
    from: before.at,
    to: reading.at,
    requests: reading.total - before.total,
    failed: reading.failed - before.failed,
    p95Seconds: percentile(reading.buckets, before.buckets),
  };
}
