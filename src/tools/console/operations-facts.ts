// The facts of the operations port: `/status` as it is, and how long requests took from
// `/metrics`. What a service of an older release does not tell is optional.

const PERCENTILE = 0.95;

/** The part of `/status` that the console shows. Times are RFC 3339. */
export interface StatusFacts {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly version: string;
  readonly runtime: string;
  readonly started_at: string | null;
  readonly requests: { readonly total: number; readonly failed: number };
  readonly writes: {
    readonly waiting: number | null;
    readonly failing_since: string | null;
    readonly failing_reason?: string | null;
  };
  readonly database: {
    readonly bytes: number | null;
    readonly log_bytes: number | null;
    readonly disk_free_bytes: number | null;
  };
  readonly identity?: {
    readonly at_start: { readonly found: string; readonly remedy: string | null } | null;
    readonly unavailable_since: string | null;
  };
  readonly admin_keys?: KeyFacts;
  readonly backups: BackupFacts | null;
  readonly replication?: { readonly reason: string | null } | null;
  readonly process: { readonly resident_bytes: number; readonly heap_bytes: number };
}

/** Refused admin keys: since the start, and the newest by the minute. */
export interface KeyFacts {
  readonly refused: number;
  readonly newest: readonly {
    readonly from: string;
    readonly to: string;
    readonly count: number;
  }[];
}

export interface BackupFacts {
  readonly folder?: string;
  readonly interval_hours: number;
  readonly keep: number;
  readonly last_success_at: string | null;
  readonly last_failed: boolean;
  readonly last_failure?: { readonly at: string; readonly reason: string } | null;
  readonly under_way?: boolean;
  /** Null where the folder cannot be read. */
  readonly list: readonly KeptBackup[] | null;
}

export interface KeptBackup {
  readonly name: string;
  readonly taken_at: string;
  readonly bytes: number;
  /** Null where it was not counted or cannot be opened. */
  readonly records?: number | null;
  /** Null until the service has looked. */
  readonly opens?: boolean | null;
}

/** Requests that took at most so many seconds, all routes together. */
export type Buckets = ReadonlyMap<number, number>;

/** Throws where the text is not what the operations port answers. */
export function statusIn(text: string): StatusFacts {
  const status: Partial<StatusFacts> = JSON.parse(text);
  if (typeof status.ready === 'boolean' && status.requests && status.process) {
    return status as StatusFacts;
  }
  throw new Error('no status');
}

export function bucketsIn(metrics: string): Buckets {
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

/** Seconds that 95 of 100 requests between the readings took at most: the upper bound of their bucket, so the true value is no larger. Undefined where there were no requests. */
export function percentile(now: Buckets, before: Buckets): number | undefined {
  const total =
    (now.get(Number.POSITIVE_INFINITY) ?? 0) - (before.get(Number.POSITIVE_INFINITY) ?? 0);
  if (total <= 0) return undefined;
  const bounds = [...now.keys()].sort((a, b) => a - b);
  return bounds.find(
    (bound) => (now.get(bound) ?? 0) - (before.get(bound) ?? 0) >= PERCENTILE * total,
  );
}
