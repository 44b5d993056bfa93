// The Postgres database, where `DATABASE_URL` names one.

import { type Environment, MASKED, quoted, SettingError } from './setting-values.js';

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

/**
 * The URL of the Postgres database, with its password; undefined where the database is a file.
 * Throws a `SettingError` for the first setting that cannot be used.
 */
export function readPostgresUrl(environment: Environment): string | undefined {
  const url = environment['DATABASE_URL'] ?? '';
  if (!isPostgresUrl(url)) return undefined;
  if (!URL.canParse(url) || new URL(url).pathname.length < 2) {
    const wanted =
      'a URL with host and database, such as postgres://user:password@host:5432/service';
    throw new SettingError('DATABASE_URL', `a postgres URL ${MASKED}`, wanted);
  }
  refuseOfFile(environment);
  return url;
}

/** What belongs to the file, and what Postgres has instead. */
const OF_FILE = {
  BACKUP_DIR: "Postgres' own backups (pg_basebackup with the log archived, or the provider's)",
  BACKUP_INTERVAL_HOURS: "Postgres' own backups",
  BACKUP_KEEP: "Postgres' own backups",
  REPLICATION: "Postgres' own standbys (synchronous_standby_names)",
  DATABASE_CREATE: 'the tables are made in the database that DATABASE_URL names',
} as const;

function refuseOfFile(environment: Environment): void {
  for (const [name, instead] of Object.entries(OF_FILE)) {
    const text = environment[name];
    if (!text || (name === 'REPLICATION' && text === 'off')) continue;
    const given = `${quoted(text)} beside a postgres URL`;
    throw new SettingError(name, given, `unset: it is of a database file; here ${instead}`);
  }
}
