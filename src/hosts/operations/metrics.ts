// Every metric with its name, unit and meaning. Names and units follow Prometheus' conventions:
// seconds, bytes, `_total` for counters.

import { familyText, Histogram, type Sample } from './exposition.js';
import type { Meter } from './meter.js';
import type { ServiceStatus } from './status.js';

export const HELP = {
  service_build_info: 'Always 1; the labels are the release and its runtime.',
  service_ready: '1 if /ready is 200, otherwise 0.',
  service_not_ready_reason: '1 for each reason why /ready is 503.',
  service_warning: '1 for each warning of /ready.',
  service_http_requests_total: 'Requests; "aborted" ended before the response was complete.',
  service_http_request_duration_seconds: 'From the headers to the last byte of the response.',
  service_http_requests_in_flight: 'Requests whose response is not yet complete.',
  service_http_connections: 'Open connections on the API port.',
  service_heavy_work_in_progress: 'Long work (searches, large bodies) in progress or waiting.',
  service_request_log_dropped_total: 'Lines dropped because the reader of the log was slow.',
  service_writes_waiting: 'Writes that wait for a commit.',
  service_commit_group_writes: 'Writes that were committed together.',
  service_commit_duration_seconds: 'Duration of a commit, including its sync to disk.',
  service_commits_total: 'Commits by result; every result except "committed" is a failure.',
  service_audit_failures_total: "An operator's changes stored without their audit event.",
  service_records: 'Stored records.',
  service_accounts: 'Accounts with at least one record.',
  service_database_bytes: 'Size of the database file.',
  service_database_log_bytes: 'Size of the write-ahead log.',
  service_disk_free_bytes: "Space that the service may use on the database's disk.",
  service_disk_bytes: "Size of the database's disk.",
  service_identity_checks_total: 'Checks of tokens by outcome, except shared ones.',
  service_identity_check_duration_seconds: 'Duration of a check, including its wait for a turn.',
  service_identity_checks_joined_total: 'Checks that joined a request in progress.',
  service_identity_checks_remembered_total: 'Checks whose result was cached.',
  service_admin_keys_refused_total: 'Requests with a wrong admin key.',
  service_backup_interval_seconds: 'How often a backup is taken; 0: only on request.',
  service_backup_last_success_timestamp_seconds: 'Time of the newest backup; 0 if there is none.',
  service_backup_last_failed: '1 if a backup failed and none has succeeded since.',
  service_backups_total: 'Backups by this process, by result.',
  service_replication_reached: '1 if the last sync succeeded, else 0.',
  service_replication_behind_seconds: 'Age of the oldest commit that the replica may lack.',
  service_replication_sync_duration_seconds: 'How long Litestream took to read the commits.',
  service_replication_failures_total: 'Syncs that failed.',
  service_postgres_waiting: 'Statements that wait for a connection to Postgres.',
  service_postgres_retries_total: 'Attempts at a statement after the first.',
  service_event_loop_delay_seconds: 'Lateness of a timer, sampled continuously.',
  service_event_loop_active_seconds_total: 'Time that the event loop was active.',
  service_event_loop_idle_seconds_total: 'Time that the event loop was idle.',
  process_start_time_seconds: 'When the process started, in seconds since 1970.',
  process_cpu_seconds_total: 'Processor time of all threads, user and system.',
  process_resident_memory_bytes: 'Memory in use.',
  process_heap_bytes: 'Memory of JavaScript objects.',
  process_open_fds: 'Open file descriptors.',
  process_max_fds: 'The limit of open file descriptors.',
} as const;

/** Null or undefined: not available on this host or at this time; the family is omitted. */
type Family = number | Histogram | readonly Sample[] | null | undefined;
type Families = Partial<Record<keyof typeof HELP, Family>>;

export function metricsText(status: ServiceStatus, meter: Meter, delays: Histogram): string {
  const families = familiesOf(status, meter, delays);
  const texts = Object.entries(HELP).map(([name, help]) => {
    const family = families[name as keyof typeof HELP] ?? [];
    const isOne = typeof family === 'number' || family instanceof Histogram;
    return familyText(name, help, isOne ? [[{}, family]] : family);
  });
  return texts.join('');
}

function familiesOf(status: ServiceStatus, meter: Meter, delays: Histogram): Families {
  const { version, runtime, requests, identity, writes, records, database } = status;
  const { backups, replication, postgres, process: usage } = status;
  return {
    service_build_info: [[{ version, runtime }, 1]],
    service_ready: Number(status.ready),
    service_not_ready_reason: status.reasons.map((reason) => [{ reason }, 1]),
    service_warning: status.warnings.map((warning) => [{ warning }, 1]),
    service_http_requests_total: meter.requests.counts,
    service_http_request_duration_seconds: meter.requests.durations,
    service_http_requests_in_flight: requests.in_flight,
    service_http_connections: requests.connections,
    service_heavy_work_in_progress: requests.heavy_work,
    service_request_log_dropped_total: meter.requestLog?.dropped() ?? 0,
    service_writes_waiting: writes.waiting,
    service_commit_group_writes: meter.groupSizes,
    service_commit_duration_seconds: meter.commitDurations,
    service_commits_total: by('result', writes.commits),
    service_audit_failures_total: writes.audit_failures,
    service_records: records && by('collection', records),
    service_accounts: status.accounts,
    service_database_bytes: database.bytes,
    service_database_log_bytes: database.log_bytes,
    service_disk_free_bytes: database.disk_free_bytes,
    service_disk_bytes: database.disk_bytes,
    service_identity_checks_total: by('outcome', identity.checks),
    service_identity_check_duration_seconds: meter.identityDurations,
    service_identity_checks_joined_total: identity.joined,
    service_identity_checks_remembered_total: identity.remembered,
    service_admin_keys_refused_total: status.admin_keys.refused,
    service_backup_interval_seconds: backups && backups.interval_hours * 3_600,
    service_backup_last_success_timestamp_seconds: backups && secondsOf(backups.last_success_at),
    service_backup_last_failed: backups && Number(backups.last_failure !== null),
    service_backups_total: backups && by('result', meter.backups),
    service_replication_reached: replication && Number(replication.reached),
    service_replication_behind_seconds: replication?.behind_seconds,
    service_replication_sync_duration_seconds: replication && meter.replicaSyncs,
    service_replication_failures_total: replication?.failures,
    service_postgres_waiting: postgres?.waiting,
    service_postgres_retries_total: postgres?.retries,
    service_event_loop_delay_seconds: delays,
    service_event_loop_active_seconds_total: usage.active_seconds,
    service_event_loop_idle_seconds_total: usage.idle_seconds,
    process_start_time_seconds: secondsOf(status.started_at),
    process_cpu_seconds_total: usage.cpu_seconds,
    process_resident_memory_bytes: usage.resident_bytes,
    process_heap_bytes: usage.heap_bytes,
    process_open_fds: usage.open_descriptors,
    process_max_fds: usage.max_descriptors,
  };
}

function secondsOf(time: string | null): number {
  return time === null ? 0 : Date.parse(time) / 1000;
}

function by(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([name, count]) => [{ [label]: name }, count]);
}
