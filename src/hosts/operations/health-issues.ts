// What each reason and warning of `/ready` means, and what to do. Shown by `manage ready` and the
// operator's console.

/** Complete sentences; names of settings, events and commands are in backticks. */
export type HealthIssue = Readonly<Record<'meaning' | 'action', string>>;

/** The service can't do its work: `/ready` is 503. */
export const REASONS = {
  starting: {
    meaning: 'The database file is being loaded, or the start waits for Postgres.',
    action: 'Wait. Over Postgres, `postgres_unavailable` in the log says what is missing.',
  },
  stopping: {
    meaning: 'The service is shutting down.',
    action: 'None. If the shutdown is unexpected, `stopping` in the log says why.',
  },
  storage_lost: {
    meaning:
      'Either a commit has an unknown outcome, and the process ends by itself. Or the database file disappeared while the service runs (deleted, replaced, its disk unmounted): reads continue, every write gets 500.',
    action:
      'Check the disk; the next start reads what is stored. If the file disappeared, do not stop the service: first save everything with the command `dump`, with `--from` and its address. Then stop it, `load` the dump into a new file, and `restore` that file.',
  },
  database_unavailable: {
    meaning: 'The database did not respond within 2 s.',
    action: 'Check the disk, which hangs. Over Postgres, check the server and the network.',
  },
  writes_failing: {
    meaning: 'The last commit failed: writes get 500, reads continue.',
    action: '`storage_commit_failed` in the log says why. It clears once a commit succeeds.',
  },
  disk_full: {
    meaning: 'The disk of the database has less than 8 MiB left, or is full: writes fail.',
    action: 'Free some space; no restart is needed.',
  },
} as const satisfies Readonly<Record<string, HealthIssue>>;

/** The service works. Either a restart would not help, or no harm is done yet. */
export const WARNINGS = {
  identity_provider_not_configured: {
    meaning: 'Sign-in fails: every bearer token gets 503.',
    action: 'Set `AUTH_USERINFO_URL` or `AUTH_ISSUER`, and restart the service.',
  },
  identity_provider_unavailable: {
    meaning:
      'The identity provider gave no usable response to the last request: customers get 503.',
    action:
      "Check the provider's status page; `identity_provider_unavailable` in the log says what it returned. A restart of the service doesn't help.",
  },
  replica_unreachable: {
    meaning: 'Litestream does not respond, or the replica is more than 15 s behind.',
    action: 'Check `systemctl status litestream`; `replica_unreachable` in the log says why.',
  },
  backup_not_configured: {
    meaning: 'There are no backups and no replica: a lost disk loses all records.',
    action: 'Set `BACKUP_DIR` to a folder on another disk, or `REPLICATION`, and restart.',
  },
  backup_failed: {
    meaning: "The last backup failed, or the folder can't be written to.",
    action: '`backup_failed` in the log says why. It clears after the next backup (SIGUSR2).',
  },
  backup_overdue: {
    meaning: 'The newest backup is older than two intervals.',
    action: 'Look for `backup_failed` in the log, and check the disk of the folder.',
  },
} as const satisfies Readonly<Record<string, HealthIssue>>;

export type Reason = keyof typeof REASONS;
export type Warning = keyof typeof WARNINGS;

export const HEALTH_ISSUES = new Map<string, HealthIssue>(
  Object.entries({ ...REASONS, ...WARNINGS }),
);
