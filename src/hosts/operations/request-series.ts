// Requests by route, method and status, and how long they took. Labels are
// bounded: a client that invents paths or methods makes no new series.

import type { FinishedRequest } from '../../core/service-events.js';
import type { Labels, Sample } from './exposition.js';
import { Histogram } from './histogram.js';

/** From half a millisecond, the time of a read, to the seconds of a hung provider or disk. */
export const DURATION_BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

const OTHER = 'other';
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'POST',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PUT',
]);
/** In place of a status if the whole answer wasn't written. */
const ABORTED = 'aborted';

/** The requests of one route and method. */
class Series {
  readonly statuses = new Map<number | typeof ABORTED, number>();
  readonly durations = new Histogram(DURATION_BOUNDS_SECONDS);
}

export class RequestSeries {
  readonly #byRoute = new Map<string, Map<string, Series>>();

  add({ route, method, status, milliseconds, aborted }: FinishedRequest): void {
    const series = this.#seriesOf(route, method);
    const outcome = aborted || status === undefined ? ABORTED : status;
    series.statuses.set(outcome, (series.statuses.get(outcome) ?? 0) + 1);
    series.durations.observe(milliseconds / 1000);
  }

  /** Every request is in exactly one of them. */
  *counts(): Iterable<Sample> {
    for (const [labels, { statuses }] of this.#all()) {
      for (const [status, count] of statuses) {
        yield [{ ...labels, status: String(status) }, count];
      }
    }
  }

  *durations(): Iterable<readonly [Labels, Histogram]> {
    for (const [labels, { durations }] of this.#all()) yield [labels, durations];
  }

  /** How many requests there were, how many failed here (a status of 500 or above), how many were aborted; for each bound of a duration, how many took at most that, and at the end all. */
  get totals() {
    const buckets = new Array<number>(DURATION_BOUNDS_SECONDS.length + 1).fill(0);
    const totals = { total: 0, failed: 0, aborted: 0, buckets };
    for (const [, { statuses, durations }] of this.#all()) {
      [...durations.cumulative, durations.count].forEach((count, bucket) => {
        buckets[bucket] = (buckets[bucket] ?? 0) + count;
      });
      for (const [status, count] of statuses) {
        totals.total += count;
        if (status === ABORTED) totals.aborted += count;
        else if (status >= 500) totals.failed += count;
      }
    }
    return totals;
  }

  #seriesOf(route: string, method: string): Series {
    let methods = this.#byRoute.get(route);
    if (methods === undefined) {
      methods = new Map();
      this.#byRoute.set(route, methods);
    }
    const name = KNOWN_METHODS.has(method) ? method : OTHER;
    let series = methods.get(name);
    if (series === undefined) {
      series = new Series();
      methods.set(name, series);
    }
    return series;
  }

  *#all(): Iterable<readonly [Labels, Series]> {
    for (const [route, methods] of this.#byRoute) {
      for (const [method, series] of methods) yield [{ route, method }, series];
    }
  }
}
