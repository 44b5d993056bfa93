// Every metric, with its name, unit and meaning, in one place. Names and units
// follow Prometheus' conventions: seconds, bytes, `_total` on what only grows.

import { Exposition, type Sample } from './exposition.js';
import { type Figures, newestBackup } from './figures.js';
import type { Histogram } from './histogram.js';
import type { Counts, Meter } from './meter.js';
import type { ReadyAnswer } from './readiness.js';

export interface Measured {
  readonly meter: Meter;
  readonly figures: Figures;
  readonly eventLoopDelays: Histogram | undefined;
  readonly ready: ReadyAnswer;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

export function metricsText(measured: Measured): string {
  const exposition = new Exposition();
  writeState(exposition, measured);
  writeRequests(exposition, measured);
  writeWrites(exposition, measured);
  writeRecords(exposition, measured);
  writeIdentity(exposition, measured.meter);
  writeAdminKeys(exposition, measured.meter);
  writeBackups(exposition, measured);
  writeReplication(exposition, measured);
  writePostgres(exposition, measured);
  writeProcess(exposition, measured);
  return exposition.text;
}

function writeState(exposition: Exposition, { figures, ready }: Measured): void {
  exposition.gauge(
    'service_build_info',
    'Always 1; the labels say which release runs on which runtime.',
    [[{ ...figures.build }, 1]],
  );
  exposition.gauge('service_ready', '1 where /ready answers 200, else 0.', ready.ready ? 1 : 0);
  exposition.gauge(
    'service_not_ready_reason',
    '1 for each reason why /ready answers 503.',
    ready.reasons.map((reason): Sample => [{ reason }, 1]),
  );
  exposition.gauge(
    'service_warning',
    '1 for each warning of /ready.',
    ready.warnings.map((warning): Sample => [{ warning }, 1]),
  );
}

function writeRequests(exposition: Exposition, { meter, figures }: Measured): void {
  exposition.counter(
    'service_http_requests_total',
    'Requests by route pattern, method and status; status "aborted" where the connection ended before the whole answer was written.',
    meter.requests.counts(),
  );
  exposition.histogram(
    'service_http_request_duration_seconds',
    'From the headers of a request to the last byte of its answer.',
    meter.requests.durations(),
  );
  exposition.gauge(
    'service_http_requests_in_flight',
    'Requests whose answer is not yet written to its end.',
    figures.service?.requestsInFlight,
  );
  exposition.gauge(
    'service_http_connections',
    'Open connections on the API port.',
    figures.service?.connections,
  );
  exposition.gauge(
    'service_heavy_work_in_progress',
    'Pieces of long work (searches, large bodies) that are under way or wait for their turn.',
    figures.service?.heavyWork,
  );
  exposition.counter(
    'service_request_log_dropped_total',
    'Lines of the request log that were not written because its reader was slow.',
    meter.droppedLogLines,
  );
}

function writeWrites(exposition: Exposition, { meter, figures }: Measured): void {
  exposition.gauge(
    'service_writes_waiting',
    'Writes that wait for a commit.',
    figures.service?.writesWaiting,
  );
  exposition.histogram(
    'service_commit_group_writes',
    'Writes that were committed together.',
    unlabelled(meter.groupSizes),
  );
  exposition.histogram(
    'service_commit_duration_seconds',
    'How long a commit took, its sync to the disk included.',
    unlabelled(meter.commitDurations),
  );
  exposition.counter(
    'service_commits_total',
    'Commits by result; every result but "committed" is a failure that clients were told of.',
    counted('result', meter.commits),
  );
  exposition.counter(
    'service_audit_failures_total',
    'Changes by an operator that were stored without their audit event.',
    meter.auditFailures,
  );
}

function writeRecords(exposition: Exposition, { figures: { service, disk } }: Measured): void {
  exposition.gauge(
    'service_records',
    'Stored records.',
    service?.records &&
      Object.entries(service.records).map(([collection, count]): Sample => [{ collection }, count]),
  );
  exposition.gauge('service_accounts', 'Accounts with at least one record.', service?.accounts);
  exposition.gauge('service_database_bytes', 'Size of the database file.', disk.databaseBytes);
  exposition.gauge(
    'service_database_log_bytes',
    'Size of the log of writes beside the database file.',
    disk.logBytes,
  );
  exposition.gauge(
    'service_disk_free_bytes',
    "What the service may still write on the database's disk.",
    disk.freeBytes,
  );
  exposition.gauge('service_disk_bytes', "Size of the database's disk.", disk.totalBytes);
}

function writeIdentity(exposition: Exposition, meter: Meter): void {
  exposition.counter(
    'service_identity_checks_total',
    'Questions to the identity provider by outcome.',
    counted('outcome', meter.identityChecks),
  );
  exposition.histogram(
    'service_identity_check_duration_seconds',
    'How long the identity provider took.',
    unlabelled(meter.identityDurations),
  );
  exposition.counter(
    'service_identity_checks_joined_total',
    'Checks that were answered by a question already under way.',
    meter.cachedChecks.of('joined'),
  );
  exposition.counter(
    'service_identity_checks_remembered_total',
    'Checks that were answered from memory.',
    meter.cachedChecks.of('remembered'),
  );
}

function writePostgres(exposition: Exposition, { figures: { postgres } }: Measured): void {
  if (postgres === undefined) return;
  exposition.gauge(
    'service_postgres_waiting',
    'Statements that wait for a connection to Postgres.',
    postgres.waiting,
  );
  exposition.counter(
    'service_postgres_retries_total',
    'Attempts at a statement after the first.',
    postgres.retries,
  );
  const statements = [...postgres.statements];
  exposition.counter(
    'service_postgres_statements_total',
    'Statements sent to Postgres by kind; those of many requests may go as one.',
    statements.map(([kind, { count }]): Sample => [{ kind }, count]),
  );
  exposition.counter(
    'service_postgres_statement_seconds_total',
    'How long statements took, the wait for a connection included.',
    statements.map(([kind, { seconds }]): Sample => [{ kind }, seconds]),
  );
}

function writeAdminKeys(exposition: Exposition, meter: Meter): void {
  exposition.counter(
    'service_admin_keys_refused_total',
    'Requests with a wrong admin key, on the API and on the operations port.',
    meter.keyRefusals.total,
  );
}

function writeBackups(exposition: Exposition, { meter, figures, now }: Measured): void {
  const { backups } = figures;
  if (backups === undefined) return;
  const newest = newestBackup(backups, meter.lastBackup, now);
  exposition.gauge(
    'service_backup_interval_seconds',
    'How often a backup is to be taken; 0: only when asked for.',
    backups.intervalHours * 3_600,
  );
  exposition.gauge(
    'service_backup_last_success_timestamp_seconds',
    'When the newest backup was taken; 0 where there is none. One with a time that is yet to come counts for nothing.',
    (newest.at ?? 0) / 1000,
  );
  exposition.gauge(
    'service_backup_last_duration_seconds',
    'How long the last backup of this process took.',
    inSeconds(meter.lastBackup?.milliseconds),
  );
  exposition.gauge('service_backup_last_size_bytes', 'Size of the newest backup.', newest.bytes);
  exposition.gauge(
    'service_backup_last_failed',
    '1 where a backup failed and none has succeeded since, else 0.',
    meter.lastBackup?.failedSince ? 1 : 0,
  );
  exposition.gauge(
    'service_backups_held_back',
    'Old backups that the rotation does not remove, because they hold much more than those after them.',
    meter.heldBack,
  );
  exposition.counter(
    'service_backups_total',
    'Backups of this process by result.',
    counted('result', meter.backups),
  );
}

function writeReplication(
  exposition: Exposition,
  { meter, figures: { replication } }: Measured,
): void {
  if (replication === undefined) return;
  exposition.gauge(
    'service_replication_reached',
    '1 if the last sync succeeded, else 0.',
    replication.isReached ? 1 : 0,
  );
  exposition.gauge(
    'service_replication_behind_seconds',
    'Age of the oldest commit that the replica is not known to have; 0 where it has all.',
    replication.behindSeconds,
  );
  exposition.histogram(
    'service_replication_sync_duration_seconds',
    'How long Litestream took to take the commits from the log.',
    unlabelled(meter.replicaSyncs),
  );
  exposition.counter(
    'service_replication_failures_total',
    'Syncs that failed.',
    meter.replicaFailures,
  );
}

function writeProcess(exposition: Exposition, { figures, eventLoopDelays }: Measured): void {
  const { usage, eventLoop } = figures;
  exposition.histogram(
    'service_event_loop_delay_seconds',
    'How much later than planned a timer came, sampled all the time.',
    eventLoopDelays === undefined ? [] : unlabelled(eventLoopDelays),
  );
  exposition.counter(
    'service_event_loop_active_seconds_total',
    'Time that the event loop worked; its share of active and idle time is the utilization.',
    eventLoop.activeSeconds,
  );
  exposition.counter(
    'service_event_loop_idle_seconds_total',
    'Time that the event loop waited.',
    eventLoop.idleSeconds,
  );
  exposition.gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    usage.startedAtSeconds,
  );
  exposition.counter(
    'process_cpu_seconds_total',
    'Processor time of all threads, user and system.',
    usage.cpuSeconds,
  );
  exposition.gauge('process_resident_memory_bytes', 'Memory in use.', usage.residentBytes);
  exposition.gauge('process_heap_bytes', 'Memory of JavaScript objects.', usage.heapBytes);
  exposition.gauge('process_open_fds', 'Open file descriptors.', usage.openDescriptors);
  exposition.gauge('process_max_fds', 'File descriptors at most.', usage.maxDescriptors);
}

function unlabelled(histogram: Histogram): [[Record<string, string>, Histogram]] {
  return [[{}, histogram]];
}

function counted<Name extends string>(label: string, counts: Counts<Name>): Sample[] {
  return [...counts].map(([name, count]): Sample => [{ [label]: name }, count]);
}

function inSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
