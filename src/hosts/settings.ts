// The environment, read once at the start: settings, or an error with a sentence for each setting
// that can't be used.

import type { SignInSettings } from '../core/identity/sign-in.js';
import { problemsBetween } from './settings/rules.js';
import { type Environment, type ReadFile, SETTINGS, type SettingName } from './settings/schema.js';
import { SettingError, shown } from './settings/setting-error.js';

export type { Environment, ReadFile };

type Values = { readonly [Name in SettingName]: (typeof SETTINGS)[Name]['fallback'] };

export type Settings = ReturnType<typeof readSettings>;
/** 0: no limit. */
export type AccountLimitSettings = Settings['accountLimits'];
export type BackupSettings = NonNullable<Settings['backups']>;
export type ConsoleSettings = ReturnType<typeof readConsoleSettings>;

/** A request that takes longer is slow. */
const SLOW_REQUEST_MS = 500;
/** Of the service; the others are the console's. */
const NAMES = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => name !== 'SERVICE_URL' && !name.startsWith('CONSOLE_'),
);

/**
 * Throws a `SettingError`, as all of these functions do. An empty variable is an unset one. A host
 * without files passes no `readFile`.
 */
export function readSettings(environment: Environment, readFile?: ReadFile) {
  const values = valuesIn(environment, NAMES, readFile);
  const {
    DATABASE_URL: database,
    OPS_PORT: port,
    REQUEST_LOG: logged,
    ACCOUNT_MAX_BYTES: maxBytes,
  } = values;
  return {
    host: values.HOST,
    /** 0 picks a free port. */
    port: values.PORT,
    /** Empty over Postgres. */
    databasePath: database.file,
    /** Undefined: the database is a file. */
    postgresUrl: 'postgres' in database ? database.postgres : undefined,
    /** Create a missing database although an earlier one is known. */
    databaseCreate: values.DATABASE_CREATE,
    /** A new database gets the sample rows of `local-preview`. */
    sampleRecords: values.SAMPLE_RECORDS === 'on',
    /** Undefined: every bearer token is answered 503 `AUTH_UNAVAILABLE`. */
    signIn: signInIn(values),
    /** Two while the key is rotated: both are taken. */
    adminKey: values.ADMIN_API_KEY_FILE ?? values.ADMIN_API_KEY,
    corsAllowedOrigins: values.CORS_ALLOWED_ORIGINS,
    backups: readBackups(environment),
    /** Undefined: no replica. */
    replication: values.REPLICATION ?? undefined,
    accountLimits: { maxBytes, maxRecords: values.ACCOUNT_MAX_RECORDS },
    operations: {
      /** Undefined: no operations port. */
      port: port === undefined ? undefined : { host: values.OPS_HOST, port },
      /** Undefined: no request log. Requests that take this long get a line. */
      requestLog: logged === 'off' ? undefined : { fromMs: logged === 'all' ? 0 : SLOW_REQUEST_MS },
    },
  };
}

/** The console's: which service it shows, where it listens, and how its operator signs in. */
export function readConsoleSettings(environment: Environment, readFile?: ReadFile) {
  const names = [
    'CONSOLE_HOST',
    'CONSOLE_PORT',
    'CONSOLE_ORIGIN',
    'CONSOLE_PASSWORD_HASH',
  ] as const;
  const values = valuesIn(environment, [...names, 'SERVICE_URL', 'OPS_HOST', 'OPS_PORT']);
  return {
    /** With `/api/v1`, without a slash at the end. */
    serviceUrl: values.SERVICE_URL,
    adminKey: readSentAdminKey(environment, readFile),
    host: values.CONSOLE_HOST,
    port: values.CONSOLE_PORT,
    /** The https origin that browsers use; undefined if they reach the console on loopback. */
    origin: values.CONSOLE_ORIGIN,
    /** Undefined: each sign-in takes a code that the console prints. */
    passwordHash: values.CONSOLE_PASSWORD_HASH,
    /** The service's operations port; undefined: the pages show none of its facts. */
    opsUrl: operationsUrl(values),
  };
}

/** Undefined: there is no operations port, or one that the system picks. */
export function operationsUrl(values: Pick<Values, 'OPS_HOST' | 'OPS_PORT'>): string | undefined {
  const { OPS_HOST: host, OPS_PORT: port } = values;
  return port ? `http://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined;
}

/** Only some settings, for a program that needs no others. */
export function valuesIn<Some extends SettingName>(
  environment: Environment,
  names: readonly Some[],
  readFile?: ReadFile,
): Pick<Values, Some> {
  const problems: string[] = [];
  const values = names.map((name) => {
    const { parse, wanted, fallback } = SETTINGS[name];
    const text = environment[name];
    if (!text) return [name, fallback];
    try {
      const value = parse(text, readFile);
      if (value !== undefined) return [name, value];
    } catch {}
    problems.push(`${name} is ${shown(name, text)}; it must be ${wanted}`);
    return [name];
  });
  const isOfNames = (sentence: string) => names.some((name) => sentence.startsWith(`${name} `));
  problems.push(...problemsBetween(environment).filter(isOfNames));
  if (problems.length > 0) throw new SettingError(...problems);
  return Object.fromEntries(values);
}

/** Only the database file. */
export function readDatabasePath(environment: Environment): string {
  const { file } = valuesIn(environment, ['DATABASE_URL']).DATABASE_URL;
  if (file !== '') return file;
  throw new SettingError(
    'DATABASE_URL is a postgres URL; it must be a local file such as file:data/service.db',
  );
}

/** The key that a program sends: during a rotation the first one, which is the newer. */
export function readSentAdminKey(environment: Environment, readFile?: ReadFile): string {
  const names = ['ADMIN_API_KEY', 'ADMIN_API_KEY_FILE'] as const;
  const { ADMIN_API_KEY: only, ADMIN_API_KEY_FILE: keys } = valuesIn(environment, names, readFile);
  const key = keys?.[0] ?? only;
  if (key !== undefined) return key;
  throw new SettingError(
    "ADMIN_API_KEY is unset, as is ADMIN_API_KEY_FILE; it must be the service's admin key",
  );
}

/** Undefined: no backups. `intervalHours` 0: only on request. `keep`: at least 1. */
export function readBackups(environment: Environment) {
  const names = ['BACKUP_DIR', 'BACKUP_INTERVAL_HOURS', 'BACKUP_KEEP'] as const;
  const values = valuesIn(environment, names);
  const { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: intervalHours, BACKUP_KEEP: keep } = values;
  return folder === undefined ? undefined : { folder, intervalHours, keep };
}

function signInIn(values: Values): SignInSettings | undefined {
  const { AUTH_USERINFO_URL: userinfoUrl, AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl } = values;
  if ((userinfoUrl ?? issuer ?? jwksUrl) === undefined) return undefined;
  return {
    userinfo: values.AUTH_USERINFO,
    userinfoUrl,
    headers: values.AUTH_USERINFO_HEADERS,
    method: values.AUTH_USERINFO_METHOD,
    subjectField: values.AUTH_SUBJECT_FIELD,
    issuer,
    jwksUrl,
    audiences: values.AUTH_AUDIENCE,
    cacheSeconds: values.AUTH_CACHE_SECONDS,
  };
}
