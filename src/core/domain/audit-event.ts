// A change as the administrator's audit log keeps it: who, what, when and
// which properties; "record values are never stored".

import type { AuditEvent as StoredEvent } from './api-schema.js';
import { cutPoint } from './search.js';

/** One change by the administrator, or a restore: an earlier state replaced the database. Storage gives it its id. */
export type AuditEvent = Omit<StoredEvent, 'id' | 'changed'> & {
  readonly changed: readonly string[];
};

/** The trace that a restore leaves. `from`: the backup or the moment; `at`: milliseconds since 1970, UTC. */
export function restoreEvent(from: string, owner: string, at: number): AuditEvent {
  return {
    actor: 'restore',
    action: 'restore',
    resource: 'database',
    record_id: from.slice(0, CHANGED_NAME_MAX_CHARACTERS),
    owner_sub: owner,
    timestamp: new Date(at).toISOString(),
    changed: [],
  };
}

const CHANGED_NAMES_MAX = 1_000;
const CHANGED_NAME_MAX_CHARACTERS = 200;

/** What the header `X-Service-Run` may hold. Anything else is ignored, because the header isn't in the contract. */
const RUN = /^[\w-]{1,64}$/;

/** The id of an import or erasure, as its requests carry it; undefined if there is none. */
export function runOf(header: string | null): string | undefined {
  return header !== null && RUN.test(header) ? header : undefined;
}

/** Imports and erasures that run at the same time, or nearly so. */
const RUNS_MAX = 100;

/** Tells which events the log has a line for: of an import or erasure only the first. The audit log has all. */
export function firstOfRuns(): (event: AuditEvent) => boolean {
  const runs = new Set<string>();
  return ({ run }) => {
    if (run === undefined) return true;
    if (runs.has(run)) return false;
    if (runs.size >= RUNS_MAX) runs.clear();
    runs.add(run);
    return true;
  };
}

/** The properties of an audit event for these names: a body of 1 MiB can hold 100,000 of them, or one of 1 MiB. */
export function changedNames(
  names: readonly string[],
): Pick<AuditEvent, 'changed' | 'changed_omitted'> {
  const kept = names.slice(0, CHANGED_NAMES_MAX);
  const changed = kept.map((name) => name.slice(0, cutPoint(name, CHANGED_NAME_MAX_CHARACTERS)));
  const changed_omitted = names.length - changed.length;
  return changed_omitted === 0 ? { changed } : { changed, changed_omitted };
}

/** An audit event as the fields of a log line: how many properties were changed; the audit log has their names. */
export function loggedEvent({ changed, changed_omitted = 0, ...facts }: AuditEvent) {
  return { ...facts, changed_count: changed.length + changed_omitted };
}
