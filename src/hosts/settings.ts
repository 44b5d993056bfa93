// The environment, read once at the start. The result is frozen settings, or an error that tells
// every setting that cannot be used.

import type { SignInSettings } from '../core/identity/sign-in.js';
import { problemsBetween } from './settings/rules.js';
import { type Environment, type ReadFile, SETTINGS } from './settings/schema.js';
import { SettingError } from './settings/setting-error.js';

export type { Environment, ReadFile } from './settings/schema.js';

type Name = keyof typeof SETTINGS.shape;
type Values = ReturnType<typeof SETTINGS.parse>;

/** A request that takes longer is slow. */
const SLOW_REQUEST_MS = 500;

export type Settings = ReturnType<typeof readSettings>;
/** 0: no limit. */
export type AccountLimitSettings = Settings['accountLimits'];
export type BackupSettings = NonNullable<Settings['backups']>;

/** Of the service; the others are the console's. */
const NAMES = (Object.keys(SETTINGS.shape) as Name[]).filter(
  (name) => name !== 'SERVICE_URL' && !name.startsWith('CONSOLE_'),
);

/**
 * Throws a `SettingError` with every setting that can't be used. An empty variable is an
 * unset one. A host without files passes no `readFile`.
 */
export function readSettings(environment: Environment, readFile?: ReadFile) {
  const values = valuesIn(environment, NAMES, readFile);
  const { DATABASE_URL: database, OPS_PORT: port, REQUEST_LOG: logged } = values;
  const { REPLICATION: socketPath, ACCOUNT_MAX_BYTES: maxBytes = 0 } = values;
  const fromMs = { all: 0, slow: SLOW_REQUEST_MS, off: undefined }[logged];
  return Object.freeze({
    host: values.HOST,
    /** 0 picks a free port. */
    port: values.PORT,
    /** Of the database file; empty over Postgres. */
    databasePath: 'file' in database ? database.file : '',
    /** Undefined: the database is a file. */
    postgresUrl: 'postgres' in database ? database.postgres : undefined,
    /** Create a missing database although an earlier one is known. */
    databaseCreate: values.DATABASE_CREATE === 'yes',
    /** A new database gets the sample rows of `local-preview`. */
    sampleRecords: values.SAMPLE_RECORDS === 'on',
    /** Undefined: every bearer token is answered 503 `AUTH_UNAVAILABLE`. */
    signIn: signInIn(values),
    /** Two while the key is rotated: both are taken. */
    adminKey: values.ADMIN_API_KEY_FILE ?? values.ADMIN_API_KEY,
    corsAllowedOrigins: values.CORS_ALLOWED_ORIGINS,
    backups: backupsIn(values),
    /** Path of the ledger of erased accounts; undefined: next to the folder of the backups. */
    erasureLedger: values.ERASURE_LEDGER,
    /** The path of Litestream's control socket; undefined: no replica. */
    replication: socketPath === null ? undefined : { socketPath },
    accountLimits: { maxBytes, maxRecords: values.ACCOUNT_MAX_RECORDS },
    operations: {
      /** Undefined: no operations port. */
      port: port === undefined ? undefined : { host: values.OPS_HOST, port },
      /** Undefined: no request log. Requests that take this long get a line. */
      requestLog: fromMs === undefined ? undefined : { fromMs },
    },
  });
}

/**
 * Only some settings, for a program that needs no others. Throws a `SettingError` that tells every
 * one of them that cannot be used.
 */
export function valuesIn<Some extends Name>(
  environment: Environment,
  names: readonly Some[],
  readFile?: ReadFile,
): Pick<Values, Some> {
  const chosen = Object.fromEntries(names.map((name) => [name, true]));
  const texts = names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []));
  const { ADMIN_API_KEY_FILE: path, ...given } = Object.fromEntries(texts);
  const keyFile = path && { ADMIN_API_KEY_FILE: { path, readFile } };
  const { data, error } = SETTINGS.pick(chosen as { [name in Name]: true }).safeParse({
    ...given,
    ...keyFile,
  });
  const problems = [
    ...(error?.issues ?? []).map(({ path: [name], message }) => `${String(name)} ${message}`),
    ...problemsBetween(environment).filter((sentence) => chosen[sentence.split(' ')[0] ?? '']),
  ];
  if (problems.length > 0) throw new SettingError(...problems);
  return data as Pick<Values, Some>;
}

/** Only the database file. Throws a `SettingError`. */
export function readDatabasePath(environment: Environment): string {
  const { DATABASE_URL: database } = valuesIn(environment, ['DATABASE_URL']);
  if ('file' in database) return database.file;
  throw new SettingError(
    'DATABASE_URL is a postgres URL; it must be a local file such as file:data/service.db',
  );
}

/** The key that a program sends: during a rotation the first one, which is the newer. Throws a `SettingError`. */
export function readSentAdminKey(environment: Environment, readFile?: ReadFile): string {
  const names = ['ADMIN_API_KEY', 'ADMIN_API_KEY_FILE'] as const;
  const { ADMIN_API_KEY: only, ADMIN_API_KEY_FILE: keys } = valuesIn(environment, names, readFile);
  const key = keys?.[0] ?? only;
  if (key !== undefined) return key;
  throw new SettingError(
    "ADMIN_API_KEY is unset, as is ADMIN_API_KEY_FILE; it must be the service's admin key",
  );
}

/** Only the backups. Throws a `SettingError`. */
export function readBackups(environment: Environment) {
  return backupsIn(valuesIn(environment, ['BACKUP_DIR', 'BACKUP_INTERVAL_HOURS', 'BACKUP_KEEP']));
}

/** Undefined: no backups. `intervalHours` 0: only on request. `keep`: at least 1. */
function backupsIn(values: Pick<Values, 'BACKUP_DIR' | 'BACKUP_INTERVAL_HOURS' | 'BACKUP_KEEP'>) {
  const { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: intervalHours, BACKUP_KEEP: keep } = values;
  return folder === undefined ? undefined : { folder, intervalHours, keep };
}

function signInIn(values: Values): Required<SignInSettings> | undefined {
  const { AUTH_USERINFO_URL: userinfoUrl, AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl } = values;
  if ((userinfoUrl ?? issuer ?? jwksUrl) === undefined) return undefined;
  return Object.freeze({
    userinfo: values.AUTH_USERINFO,
    userinfoUrl,
    headers: values.AUTH_USERINFO_HEADERS,
    method: values.AUTH_USERINFO_METHOD,
    subjectField: values.AUTH_SUBJECT_FIELD,
    issuer,
    jwksUrl,
    audiences: values.AUTH_AUDIENCE,
    cacheSeconds: values.AUTH_CACHE_SECONDS,
  });
}
