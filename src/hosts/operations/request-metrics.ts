// Counts and durations of requests by route, method and status, and those of the last hour by minute.
// Labels are bounded: a client that invents paths or methods can't create new series.

import type { FinishedRequest } from '../../core/service-events.js';
import { Histogram, type Sample } from './exposition.js';

/** From half a millisecond, the duration of a read, to the seconds of a provider or disk that hangs. */
export const DURATION_BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

const MINUTES = 60;
const PERCENTILE = 0.95;

const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PUT']);
/** In place of a status, if the response was not completely written. */
const ABORTED = 'aborted';

/** The requests of one route and method. */
interface Requests {
  readonly labels: { readonly route: string; readonly method: string };
  readonly statuses: Map<number | typeof ABORTED, number>;
  readonly durations: Histogram;
}

export type Minute = ReturnType<typeof between>;

export class RequestMetrics {
  /** Keyed by route, then by method. */
  readonly #routes = new Map<string, Map<string, Requests>>();
  /** The totals at the start of each of the last minutes, oldest first. */
  readonly #readings = [this.#read()];

  add({ route, method, status, milliseconds, aborted }: FinishedRequest): void {
    const { statuses, durations } = this.#requestsOf(route, method);
    const outcome = aborted || status === undefined ? ABORTED : status;
    statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    durations.observe(milliseconds / 1000);
  }

  /** Each request is counted in exactly one sample. */
  get counts(): Sample[] {
    return this.#all.flatMap(({ labels, statuses }) =>
      [...statuses].map(([status, count]) => [{ ...labels, status: String(status) }, count]),
    );
  }

  get durations(): Sample[] {
    return this.#all.map(({ labels, durations }) => [labels, durations]);
  }

  /** `failed`: status 500 or above. */
  get totals() {
    const totals = { total: 0, failed: 0, aborted: 0 };
    for (const [status, count] of this.#all.flatMap(({ statuses }) => [...statuses])) {
      totals.total += count;
      if (status === ABORTED) totals.aborted += count;
      else if (status >= 500) totals.failed += count;
    }
    return totals;
  }

  /** Call once a minute. */
  tick(): void {
    this.#readings.push(this.#read());
    if (this.#readings.length > MINUTES) this.#readings.shift();
  }

  /** Oldest first; the last minute isn't over. */
  get lastHour(): Minute[] {
    const ends = [...this.#readings.slice(1), this.#read()];
    return this.#readings.map((before, index) => between(before, ends[index] ?? before));
  }

  /** `took`: how many requests took at most each bound of `DURATION_BOUNDS_SECONDS`, then the total. */
  #read() {
    const all = this.#all.map(({ durations }) => durations.cumulative);
    const sumOf = (bucket: number) => all.reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0);
    const took = [...DURATION_BOUNDS_SECONDS, Infinity].map((_, bucket) => sumOf(bucket));
    return { at: new Date().toISOString(), ...this.totals, took };
  }

  get #all(): Requests[] {
    return [...this.#routes.values()].flatMap((methods) => [...methods.values()]);
  }

  #requestsOf(route: string, given: string): Requests {
    const method = METHODS.has(given) ? given : 'other';
    const methods = this.#routes.get(route) ?? new Map<string, Requests>();
    const found = methods.get(method);
    if (found !== undefined) return found;
    const durations = new Histogram(DURATION_BOUNDS_SECONDS);
    const requests: Requests = { labels: { route, method }, statuses: new Map(), durations };
    this.#routes.set(route, methods.set(method, requests));
    return requests;
  }
}

type Reading = RequestMetrics['totals'] & { readonly at: string; readonly took: number[] };

function between(before: Reading, after: Reading) {
  const counts = after.took.map((count, bucket) => count - (before.took[bucket] ?? 0));
  const wanted = PERCENTILE * (counts.at(-1) ?? 0);
  const bound = DURATION_BOUNDS_SECONDS[counts.findIndex((count) => count >= wanted)];
  return {
    from: before.at,
    to: after.at,
    requests: after.total - before.total,
    /** Status 500 or above. */
    failed: after.failed - before.failed,
    /** The upper bound of its bucket, as in Prometheus. Null if there were no requests. */
    p95_seconds: wanted > 0 ? (bound ?? DURATION_BOUNDS_SECONDS.at(-1) ?? null) : null,
  };
}
