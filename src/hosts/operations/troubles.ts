// What each reason and warning of `/ready` means, and what the operator does: the one
// source for `manage ready`, the operator's console and the tables of this folder's page.

export interface Trouble {
  /** Whole sentences; names of settings, events and commands stand in backticks. */
  readonly meaning: string;
  readonly action: string;
  /** Customers are refused because of it. */
  readonly isFelt: boolean;
}

/** The service cannot do its work: `/ready` answers 503. */
export const REASONS = {
  starting: {
    meaning: 'The database file is being checked and loaded: some seconds for a million records.',
    action: 'Wait.',
    isFelt: true,
  },
  stopping: {
    meaning: 'A stop has begun.',
    action: 'Nothing. Where nobody asked for it, `stopping` in the log says why.',
    isFelt: true,
  },
  storage_lost: {
    meaning:
      'Nobody can tell what is stored: then the process ends by itself. Or the database file went while the service runs (deleted, replaced, its disk unmounted; looked at every second): reads go on, every write is answered 500.',
    action:
      'Look at the disk; the next start reads the truth. Where the file went, `database_saved` in the log names a whole copy of what the service had: stop the service, restore that copy, start it.',
    isFelt: true,
  },
  database_damaged: {
    meaning:
      'Another program wrote the database file while the service runs, for example a backup was copied over it (looked at every second). Reads are answered from memory, which still has everything; every write is answered 500.',
    action:
      'Do not restart: take everything out first, by the command `dump` with `--from` and the address of this service. Then stop it, move the file away, and load the dump by the command `load`.',
    isFelt: true,
  },
  database_unavailable: {
    meaning: 'The database did not answer within 2 s.',
    action:
      'Look at the disk: it hangs. Over Postgres: look at the server and at the network between.',
    isFelt: true,
  },
  writes_failing: {
    meaning:
      'The last commit failed and none has succeeded since: writes are answered 500, reads go on.',
    action:
      '`storage_commit_failed` in the log says why. The service tries a commit itself whenever `/ready` is asked, so this ends without a write of a client.',
    isFelt: true,
  },
  disk_full: {
    meaning:
      'Less than 8 MiB are free on the disk of the database, or a commit failed for want of room: writes are answered 500, reads go on.',
    action: 'Make room; nothing needs a restart.',
    isFelt: true,
  },
  descriptors_exhausted: {
    meaning:
      'Fewer than 8 file descriptors are free: connections are refused, and the identity provider cannot be asked.',
    action: 'Raise `LimitNOFILE` of the unit (`ulimit -n`), or limit the connections of the proxy.',
    isFelt: true,
  },
} as const satisfies Readonly<Record<string, Trouble>>;

/** A trouble that a restart would not cure, or that does no harm yet. */
export const WARNINGS = {
  identity_provider_not_configured: {
    meaning: 'Nobody can sign in: every bearer token is answered 503.',
    action: 'Set `AUTH_USERINFO_URL` or `AUTH_ISSUER`, and start the service again.',
    isFelt: true,
  },
  identity_provider_unavailable: {
    meaning:
      'The identity provider gave no usable answer to the last question, or it was away at the start and no token was checked since: customers are answered 503.',
    action:
      'Look at the status page of the provider; `identity_provider_unavailable` in the log says what it answered. It ends with the next answer of the provider; a restart of the service cures nothing.',
    isFelt: true,
  },
  identity_provider_unfit: {
    meaning: 'At the start the identity provider did not refuse a made-up token as it must.',
    action:
      '`identity.at_start` of `/status` says what it answered and what to do. It ends when the provider has accepted one token and refused another, or at the next start.',
    isFelt: false,
  },
  replica_unreachable: {
    meaning:
      'Litestream does not answer, or the replica is more than 15 s behind: what is written now is on this machine alone.',
    action:
      'Look at `systemctl status litestream`; `replica_unreachable` in the log of the service says why.',
    isFelt: false,
  },
  backup_not_configured: {
    meaning:
      'No backup is taken and there is no replica: if this disk is lost, so are all records.',
    action:
      'Set `BACKUP_DIR` to a folder on another disk, or `REPLICATION` for a second place, and start the service again.',
    isFelt: false,
  },
  backup_failed: {
    meaning: 'The last backup failed, or none can be put into the folder.',
    action:
      '`backup_failed` in the log says why: most often the disk of the folder is full or not mounted, or the service may not write there. It is tried again every 10 minutes; with `BACKUP_INTERVAL_HOURS=0`, take one with SIGUSR2. It ends with the next backup.',
    isFelt: false,
  },
  backup_overdue: {
    meaning: 'The newest backup is older than two intervals.',
    action: 'Look for `backup_failed` in the log, and at the disk of the folder.',
    isFelt: false,
  },
  backup_held_back: {
    meaning:
      'An old backup holds more than 1.5 times the records of every newer one, so the rotation does not remove it.',
    action:
      '`backup_held_back` in the log names it. Were records lost? Restore it. If not, as after an account was erased, remove it by hand.',
    isFelt: false,
  },
  backup_from_future: {
    meaning:
      'The folder has a backup with a time that is yet to come: a start with a wrong clock made it. It counts for nothing: neither for the age of the newest nor for the interval, and the rotation removes it first.',
    action: '`backup_from_future` in the log names it; look at the clock (`timedatectl`).',
    isFelt: false,
  },
  erased_accounts_back: {
    meaning:
      'Accounts that were erased are in the database again, because an older state of it was put in place.',
    action:
      'The line `erased_accounts_back` in the log of the start names them; erase them again. It ends when each is gone.',
    isFelt: false,
  },
  erasure_ledger_unreadable: {
    meaning:
      'Whether erased accounts are back is not known: the ledger is there and this user cannot read it, or it is damaged.',
    action: 'The line of the same name in the log says what to do; the next start looks again.',
    isFelt: false,
  },
} as const satisfies Readonly<Record<string, Trouble>>;

export type Reason = keyof typeof REASONS;
export type Warning = keyof typeof WARNINGS;

/** Undefined for a name of another release. */
export function troubleCalled(name: string): Trouble | undefined {
  const all: Readonly<Record<string, Trouble>> = { ...REASONS, ...WARNINGS };
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
