// The settings of a process of a fleet: its database, and how the processes reach each other.

import {
  type Environment,
  isLoopback,
  isPrivate,
  MASKED,
  type Parser,
  quoted,
  type ReadFile,
  read,
  SettingError,
  textOfFile,
  wholeNumber,
} from './setting-values.js';

export interface FleetSettings {
  /** `postgres://…`, with its password. */
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Where the others reach this process; undefined: at `host` and `port`. */
  readonly url: string | undefined;
  /** Undefined: this process is alone. */
  readonly key: string | undefined;
  readonly tls: FleetTls | undefined;
}

/** PEM texts: each process shows its certificate, and takes those that the authority signed. */
export interface FleetTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** Who knows the key can act as any account. */
const FLEET_KEY_MIN_CHARACTERS = 32;

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

/** Undefined where the database is a file. Throws a `SettingError` for the first setting that cannot be used. */
export function readFleet(
  environment: Environment,
  readFile: ReadFile | undefined,
): FleetSettings | undefined {
  const databaseUrl = environment['DATABASE_URL'] ?? '';
  if (!isPostgresUrl(databaseUrl)) {
    refuseOthers(environment);
    return undefined;
  }
  if (!URL.canParse(databaseUrl) || new URL(databaseUrl).pathname.length < 2) {
    const wanted =
      'a URL with host and database, such as postgres://user:password@host:5432/service';
    throw new SettingError('DATABASE_URL', `a postgres URL ${MASKED}`, wanted);
  }
  refuseOfFile(environment);
  const tls = readTls(environment, readFile);
  const host = read(environment, 'FLEET_HOST', addressFor(tls), '127.0.0.1');
  return Object.freeze({
    databaseUrl,
    host,
    port: read(environment, 'FLEET_PORT', wholeNumber(0, 65_535), 0),
    url: read(environment, 'FLEET_URL', urlFor(tls), undefined),
    key: readKey(environment, readFile),
    tls,
  });
}

/** A name of the fleet beside a file is a mistake that would be noticed late. */
function refuseOthers(environment: Environment): void {
  for (const name of OF_FLEET) {
    if (!environment[name]) continue;
    throw new SettingError(name, 'set', 'unset, or DATABASE_URL must be a postgres:// URL');
  }
}

const OF_FLEET = [
  'FLEET_HOST',
  'FLEET_PORT',
  'FLEET_URL',
  'FLEET_KEY',
  'FLEET_KEY_FILE',
  'FLEET_TLS_CERT',
  'FLEET_TLS_KEY',
  'FLEET_TLS_CA',
] as const;

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

function readKey(environment: Environment, readFile: ReadFile | undefined): string | undefined {
  const inline = read(environment, 'FLEET_KEY', fleetKey, undefined);
  const name = 'FLEET_KEY_FILE';
  const path = environment[name];
  if (!path) return inline;
  if (inline !== undefined) {
    throw new SettingError(name, 'set beside FLEET_KEY', 'the only one of the two');
  }
  return fleetKey(name, textOfFile(name, path, readFile, 'a readable file of one key').trim());
}

const fleetKey: Parser<string> = (name, text) => {
  if (/^[!-~]+$/.test(text) && text.length >= FLEET_KEY_MIN_CHARACTERS) return text;
  const wanted = `${FLEET_KEY_MIN_CHARACTERS} printable ASCII characters or more, the same in every process`;
  throw new SettingError(name, MASKED, wanted);
};

function readTls(environment: Environment, readFile: ReadFile | undefined): FleetTls | undefined {
  const names = ['FLEET_TLS_CERT', 'FLEET_TLS_KEY', 'FLEET_TLS_CA'] as const;
  if (names.every((name) => !environment[name])) return undefined;
  const [cert, key, ca] = names.map((name) => {
    const path = environment[name];
    if (!path) throw new SettingError(name, 'unset', `a PEM file: ${names.join(', ')} go together`);
    return textOfFile(name, path, readFile, 'a readable PEM file');
  });
  return { cert: cert ?? '', key: key ?? '', ca: ca ?? '' };
}

/** Without TLS the key and the records pass in the open. */
function addressFor(tls: FleetTls | undefined): Parser<string> {
  return (name, text) => {
    if (tls !== undefined || isLoopback(text) || isPrivate(text)) return text;
    const wanted =
      'a loopback or private address such as 10.0.0.5, or any with FLEET_TLS_CERT, FLEET_TLS_KEY and FLEET_TLS_CA';
    throw new SettingError(name, quoted(text), wanted);
  };
}

function urlFor(tls: FleetTls | undefined): Parser<string> {
  const scheme = tls === undefined ? 'http:' : 'https:';
  return (name, text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === scheme && url.pathname === '/' && url.search === '') return url.origin;
    throw new SettingError(
      name,
      quoted(text),
      `the address of this process, such as ${scheme}//10.0.0.5:9100`,
    );
  };
}
