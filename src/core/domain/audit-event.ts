// The events of the operator's audit log: who changed what and when, and the names of the properties;
// "record values are never stored".

import type { AuditEvent as StoredEvent } from './api-schema.js';
import { cutPoint } from './search.js';

/** A change by the operator, or a restore of a backup. Storage assigns the id. */
export type AuditEvent = Omit<StoredEvent, 'id' | 'changed'> & {
  readonly changed: readonly string[];
};

/** The event of a restore. `at`: milliseconds since 1970, UTC. */
export function restoreEvent(backup: string, at: number): AuditEvent {
  return {
    actor: 'restore',
    action: 'restore',
    resource: 'database',
    record_id: backup,
    owner_sub: '',
    timestamp: new Date(at).toISOString(),
    changed: [],
  };
}

const CHANGED_NAMES_MAX = 1_000;
const CHANGED_NAME_MAX_CHARACTERS = 200;

/** Concurrent or recent imports and erasures. */
const RUNS_MAX = 100;

/** Returns a predicate: whether the log gets a line for the event. An import or erasure gets one line, for its first event. */
export function oncePerRun(): (event: AuditEvent) => boolean {
  const runs = new Set<string>();
  return ({ run }) => {
    if (run === undefined) return true;
    if (runs.has(run)) return false;
    if (runs.size >= RUNS_MAX) runs.clear();
    runs.add(run);
    return true;
  };
}

/** An audit event's `changed`, with limits, because a body of 1 MiB can have 100,000 names, or one of 1 MiB. */
export function changedNames(
  names: readonly string[],
): Pick<AuditEvent, 'changed' | 'changed_omitted'> {
  const changed = names
    .slice(0, CHANGED_NAMES_MAX)
    .map((name) => name.slice(0, cutPoint(name, CHANGED_NAME_MAX_CHARACTERS)));
  const changed_omitted = names.length - changed.length;
  return changed_omitted === 0 ? { changed } : { changed, changed_omitted };
}

/** The fields of an audit event's log line, with the number of changed properties instead of their names. */
export function loggedEvent({ changed, changed_omitted = 0, ...fields }: AuditEvent) {
  return { ...fields, changed_count: changed.length + changed_omitted };
}
