// The facts of the operations port: `/status` as it is, and requests a second and
// their 95th percentile from two readings of `/metrics`.

const ANSWER_MAX_MS = 2_000;
/** Readings are not repeated sooner; a page shows the last one. */
const READING_AGE_MAX_MS = 10_000;
/** Rates are of the last minutes. */
const RATE_OVER_MAX_MS = 300_000;
const RATE_OVER_MIN_MS = 5_000;
const PERCENTILE = 0.95;

/** The part of `/status` that the console shows. */
export interface StatusFacts {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly version: string;
  readonly runtime: string;
  readonly started_at: string | null;
  readonly requests: { readonly total: number; readonly failed: number };
  readonly writes: { readonly waiting: number | null; readonly failing_since: string | null };
  readonly database: {
    readonly bytes: number | null;
    readonly log_bytes: number | null;
    readonly disk_free_bytes: number | null;
  };
  readonly backups: BackupFacts | null;
  readonly process: { readonly resident_bytes: number; readonly heap_bytes: number };
}

export interface BackupFacts {
  readonly interval_hours: number;
  readonly keep: number;
  readonly last_success_at: string | null;
  readonly last_failed: boolean;
  readonly list:
    | readonly { readonly name: string; readonly taken_at: string; readonly bytes: number }[]
    | null;
}

export interface OperationsFacts {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  readonly status: StatusFacts;
  /** Undefined until there are two readings. */
  readonly rates: Rates | undefined;
}

export interface Rates {
  /** How long the readings are apart. */
  readonly overMs: number;
  readonly requestsPerSecond: number;
  /** Of the requests between the readings; undefined where there were none. */
  readonly p95Seconds: number | undefined;
}

interface Reading {
  readonly at: number;
  readonly status: StatusFacts;
  /** Requests that took at most so many seconds. */
  readonly buckets: ReadonlyMap<number, number>;
}

export type FetchText = (url: string, signal: AbortSignal) => Promise<string>;

export interface OperationsOptions {
  readonly url: string | undefined;
  readonly fetchText: FetchText;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class OperationsPort {
  readonly url: string | undefined;
  readonly #options: OperationsOptions;
  /** Oldest first. */
  #readings: Reading[] = [];
  #underWay: Promise<void> | undefined;

  constructor(options: OperationsOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** Undefined where no operations port is set. Rejects with an Error whose message is a sentence. */
  async facts(): Promise<OperationsFacts | undefined> {
    if (this.url === undefined) return undefined;
    const age = this.#options.clock() - (this.#readings.at(-1)?.at ?? 0);
    if (age > READING_AGE_MAX_MS) await this.#readOnce();
    const latest = this.#readings.at(-1);
    return latest && { at: latest.at, status: latest.status, rates: this.#rates(latest) };
  }

  #readOnce(): Promise<void> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #read(): Promise<void> {
    const { fetchText, clock } = this.#options;
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    try {
      const [status, metrics] = await Promise.all(
        ['/status', '/metrics'].map((path) => fetchText(this.url + path, signal)),
      );
      const at = clock();
      this.#readings = this.#readings.filter((reading) => at - reading.at <= RATE_OVER_MAX_MS);
      this.#readings.push({
        at,
        status: statusIn(status ?? ''),
        buckets: bucketsIn(metrics ?? ''),
      });
    } catch {
      throw new Error(`the operations port ${this.url} gives no usable answer`);
    }
  }

  #rates(latest: Reading): Rates | undefined {
    // A service that was started anew counts from 0 again.
    const earlier = this.#readings.find(
      ({ at, status }) =>
        latest.at - at >= RATE_OVER_MIN_MS && status.started_at === latest.status.started_at,
    );
    if (earlier === undefined) return undefined;
    const overMs = latest.at - earlier.at;
    const requests = latest.status.requests.total - earlier.status.requests.total;
    return {
      overMs,
      requestsPerSecond: requests / (overMs / 1_000),
      p95Seconds: percentile(latest.buckets, earlier.buckets),
    };
  }
}

function statusIn(text: string): StatusFacts {
  const status: Partial<StatusFacts> = JSON.parse(text);
  if (typeof status.ready === 'boolean' && status.requests && status.process) {
    return status as StatusFacts;
  }
  throw new Error('no status');
}

/** All routes together. */
function bucketsIn(metrics: string): Map<number, number> {
  const buckets = new Map<number, number>();
  const lines = metrics.matchAll(
    /^service_http_request_duration_seconds_bucket{[^}]*le="([^"]+)"[^}]*} (\d+)/gm,
  );
  for (const [, le = '', count] of lines) {
    const seconds = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    buckets.set(seconds, (buckets.get(seconds) ?? 0) + Number(count));
  }
  return buckets;
}

/** The upper bound of the bucket that holds the percentile, so the true value is at most this. */
function percentile(
  now: ReadonlyMap<number, number>,
  before: ReadonlyMap<number, number>,
): number | undefined {
  const total =
    (now.get(Number.POSITIVE_INFINITY) ?? 0) - (before.get(Number.POSITIVE_INFINITY) ?? 0);
  if (total <= 0) return undefined;
  const bounds = [...now.keys()].sort((a, b) => a - b);
  return bounds.find(
    (bound) => (now.get(bound) ?? 0) - (before.get(bound) ?? 0) >= PERCENTILE * total,
  );
}
