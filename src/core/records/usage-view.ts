// Builds the operator's usage and overview from the storage's totals, the same on every host.

import type { RecordCounts, ResourceUsage, Usage } from '../domain/api-schema.js';
import { byCollection } from '../domain/collection-name.js';
import { HOUR_MS } from '../domain/hour.js';
import type { StoredTotals, StoredUsage, ThreeTimes } from './record-storage.js';

/** The starts of the usage view's windows: 24 hours, 7 days and 30 days. `now` and the results: milliseconds since 1970, UTC. */
export function windowStarts(now: number): ThreeTimes {
  const day = 24 * HOUR_MS;
  return [now - day, now - 7 * day, now - 30 * day];
}

/** `createdAfter` of the totals: the counts of the three windows. */
export function usageView({ collections, auditEventCount }: StoredTotals): Usage {
  return {
    record_count: sum(collections.map(({ records }) => records)),
    payload_bytes: sum(collections.map(({ payloadBytes }) => payloadBytes)),
    resources: byCollection((name) =>
      resourceUsage(collections.find(({ collection }) => collection === name)),
    ),
    audit_event_count: auditEventCount,
  };
}

/** The totals of the service or of an account. A collection without a count has no record. */
export function totalsOf(counts: Partial<RecordCounts>) {
  const resources = byCollection((name) => counts[name] ?? 0);
  return { record_count: sum(Object.values(resources)), resources };
}

function resourceUsage(stored: StoredUsage | undefined): ResourceUsage {
  const [day, week, month] = stored?.createdAfter ?? [0, 0, 0];
  return {
    records: stored?.records ?? 0,
    payload_bytes: stored?.payloadBytes ?? 0,
    created_last_24_hours: day,
    created_last_7_days: week,
    created_last_30_days: month,
    last_updated_at: stored === undefined ? null : new Date(stored.lastUpdatedAt).toISOString(),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
