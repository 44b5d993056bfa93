// What each reason and warning of `/ready` means, and what the operator does: the one
// source for `manage ready` and the operator's console.

export interface Trouble {
  /** Whole sentences; names of settings, events and commands stand in backticks. */
  readonly meaning: string;
  readonly action: string;
}

/** The service cannot do its work: `/ready` answers 503. */
export const REASONS = {
  starting: {
    meaning: 'The database file is being checked and loaded: some seconds for a million records.',
    action: 'Wait.',
  },
  stopping: {
    meaning: 'A stop has begun.',
    action: 'None. If the stop is unexpected, `stopping` in the log says why.',
  },
  storage_lost: {
    meaning:
      'Either it is unknown what is stored, and the process ends by itself. Or the database file disappeared while the service runs (deleted, replaced, its disk unmounted): reads continue, every write is answered 500.',
    action:
      'Check the disk; the next start reads what is stored. If the file disappeared, `database_saved` in the log names a complete copy: stop the service, restore that copy, start it.',
  },
  database_damaged: {
    meaning:
      'Another program wrote to the database file while the service runs, for example a backup was copied over it. Reads are answered from memory, which still has everything; every write is answered 500.',
    action:
      'Do not restart. First save everything with the command `dump`, with `--from` and the address of this service. Then stop it, `load` the dump into a new file, and `restore` that file.',
  },
  database_unavailable: {
    meaning: 'The database did not answer within 2 s.',
    action: 'Check the disk: it hangs. Over Postgres: check the server and the network.',
  },
  writes_failing: {
    meaning:
      'The last commit failed and none has succeeded since: writes are answered 500, reads continue.',
    action:
      '`storage_commit_failed` in the log says why. The service tries a commit of its own when `/ready` is asked, so this clears without a write by a client.',
  },
  disk_full: {
    meaning:
      'The disk of the database is full, or has less than 8 MiB left: writes are answered 500, or soon will be; reads continue.',
    action: 'Free some space; no restart is needed.',
  },
  descriptors_exhausted: {
    meaning:
      'Fewer than 8 file descriptors are free: connections are refused, and the identity provider cannot be asked.',
    action: 'Raise `LimitNOFILE` of the unit (`ulimit -n`), or limit the connections of the proxy.',
  },
} as const satisfies Readonly<Record<string, Trouble>>;

/** A restart would not help, or there is no harm yet. */
export const WARNINGS = {
  identity_provider_not_configured: {
    meaning: 'Nobody can sign in: every bearer token is answered 503.',
    action: 'Set `AUTH_USERINFO_URL` or `AUTH_ISSUER`, and restart the service.',
  },
  identity_provider_unavailable: {
    meaning:
      'The identity provider gave no usable answer to the last request: customers are answered 503.',
    action:
      "Check the provider's status page; `identity_provider_unavailable` in the log says what it answered. It clears with the provider's next answer; a restart of the service doesn't help.",
  },
  replica_unreachable: {
    meaning:
      'Litestream does not answer, or the replica is more than 15 s behind: what is written now is on this machine only.',
    action:
      "Check `systemctl status litestream`; `replica_unreachable` in the service's log says why.",
  },
  backup_not_configured: {
    meaning:
      'No backup is taken and there is no replica: if this disk is lost, so are all records.',
    action:
      'Set `BACKUP_DIR` to a folder on another disk, or `REPLICATION` for a second place, and restart the service.',
  },
  backup_failed: {
    meaning: "The last backup failed, or the folder can't be written to.",
    action:
      '`backup_failed` in the log says why: most often the disk is full or not mounted, or the service may not write there. The service tries again every 10 minutes; with `BACKUP_INTERVAL_HOURS=0`, take one with SIGUSR2. It clears with the next backup.',
  },
  backup_overdue: {
    meaning: 'The newest backup is older than two intervals.',
    action: 'Look for `backup_failed` in the log, and check the disk of the folder.',
  },
  backup_held_back: {
    meaning:
      'An old backup is more than 1.5 times as large as every newer one, so the rotation does not remove it.',
    action:
      '`backup_held_back` in the log names it. Were records lost? Restore it. If not, as after an account was erased, remove it by hand.',
  },
  backup_from_future: {
    meaning:
      'The folder has a backup whose time is in the future, made while the clock was wrong. It is ignored, and the rotation removes it first.',
    action: '`backup_from_future` in the log names it; check the clock (`timedatectl`).',
  },
  erased_accounts_back: {
    meaning:
      'Accounts that were erased are in the database again, because an older state of it was restored.',
    action:
      '`erased_accounts_back` in the log of the start names them; erase them again. It clears when each is gone.',
  },
  erasure_ledger_unreadable: {
    meaning:
      "Whether erased accounts are back is unknown: the ledger is damaged, or the service's user cannot read it.",
    action: '`erasure_ledger_unreadable` in the log says what to do; the next start checks again.',
  },
} as const satisfies Readonly<Record<string, Trouble>>;

export type Reason = keyof typeof REASONS;
export type Warning = keyof typeof WARNINGS;

/** Customers are refused because of them. */
export const FELT_WARNINGS: readonly string[] = [
  'identity_provider_not_configured',
  'identity_provider_unavailable',
];

/** By name. */
export const TROUBLES = new Map<string, Trouble>(Object.entries({ ...REASONS, ...WARNINGS }));
