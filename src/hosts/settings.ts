// Reads the settings from the environment once, at startup. Throws an error with a sentence for each
// invalid setting.

import type { SignInSettings } from '../core/identity/sign-in.js';
import { isLoopback } from './settings/addresses.js';
import {
  type Environment,
  isPostgresUrl,
  type ReadFile,
  SETTINGS,
  type SettingName,
} from './settings/schema.js';
import { maskedText, SettingError } from './settings/setting-error.js';

export type { Environment, ReadFile };

type Values = { readonly [Name in SettingName]: (typeof SETTINGS)[Name]['fallback'] };

export type Settings = ReturnType<typeof readSettings>;
export type BackupSettings = NonNullable<Settings['backups']>;
export type ConsoleSettings = ReturnType<typeof readConsoleSettings>;

/** A request that takes at least this long is slow. */
const SLOW_REQUEST_MS = 500;
const NAMES = Object.keys(SETTINGS) as SettingName[];
const CONSOLE_NAMES = NAMES.filter((name) => /^CONSOLE_|^SERVICE_URL$/.test(name));
const SERVICE_NAMES = NAMES.filter((name) => !CONSOLE_NAMES.includes(name));

/**
 * Throws a `SettingError`, like every function here. An empty variable counts as unset. A host without
 * files passes no `readFile`.
 */
export function readSettings(environment: Environment, readFile?: ReadFile) {
  const values = readValues(environment, SERVICE_NAMES, readFile);
  const { DATABASE_URL: database, OPS_PORT: port, REQUEST_LOG: logged } = values;
  return {
    host: values.HOST,
    /** 0 picks a free port. */
    port: values.PORT,
    /** Empty over Postgres. */
    databasePath: database.file,
    /** Undefined: the database is a file. */
    postgresUrl: 'postgres' in database ? database.postgres : undefined,
    /** Create a missing database even if there was one before. */
    databaseCreate: values.DATABASE_CREATE,
    /** A new database gets the sample rows of `local-preview`. */
    sampleRecords: values.SAMPLE_RECORDS === 'on',
    /** Undefined: every bearer token gets 503 `AUTH_UNAVAILABLE`. */
    signIn: signInSettings(values),
    /** Two during a rotation; both are accepted. */
    adminKey: values.ADMIN_API_KEY_FILE ?? values.ADMIN_API_KEY,
    corsAllowedOrigins: values.CORS_ALLOWED_ORIGINS,
    backups: readBackups(environment),
    /** Undefined: no replica. */
    replication: values.REPLICATION ?? undefined,
    /** 0: no limit. */
    accountLimits: { maxBytes: values.ACCOUNT_MAX_BYTES, maxRecords: values.ACCOUNT_MAX_RECORDS },
    operations: {
      /** Undefined: no operations port. */
      port: port === undefined ? undefined : { host: values.OPS_HOST, port },
      /** Undefined: no request log. Otherwise requests that take at least `fromMs` are logged. */
      requestLog: logged === 'off' ? undefined : { fromMs: logged === 'all' ? 0 : SLOW_REQUEST_MS },
    },
  };
}

/** The console's settings: its service, its address, and how operators sign in. */
export function readConsoleSettings(environment: Environment, readFile?: ReadFile) {
  const values = readValues(environment, [...CONSOLE_NAMES, 'OPS_HOST', 'OPS_PORT']);
  return {
    /** Includes `/api/v1`, without a trailing slash. */
    serviceUrl: values.SERVICE_URL,
    adminKey: readSentAdminKey(environment, readFile),
    host: values.CONSOLE_HOST,
    port: values.CONSOLE_PORT,
    /** The https origin that browsers use; undefined if they reach the console on loopback. */
    origin: values.CONSOLE_ORIGIN,
    /** Undefined: each sign-in requires a code that the console prints. */
    passwordHash: values.CONSOLE_PASSWORD_HASH,
    /** The service's operations port; undefined: the pages don't show its status. */
    opsUrl: operationsUrl(values),
  };
}

/** Undefined if there is no operations port, or the system picks it. */
export function operationsUrl(values: Pick<Values, 'OPS_HOST' | 'OPS_PORT'>): string | undefined {
  const { OPS_HOST: host, OPS_PORT: port } = values;
  return port ? `http://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined;
}

/** Reads only the named settings, for a program that needs no others. */
export function readValues<Some extends SettingName>(
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
    problems.push(`${name} is ${maskedText(name, text)}; it must be ${wanted}`);
    return [name];
  });
  const isOfNames = (sentence: string) => names.some((name) => sentence.startsWith(`${name} `));
  problems.push(...problemsBetween(environment).filter(isOfNames));
  if (problems.length > 0) throw new SettingError(...problems);
  return Object.fromEntries(values);
}

/** Checks which settings go together. Returns a sentence for each problem, which starts with a setting's name. */
function problemsBetween(given: { readonly [Name in SettingName]?: string | undefined }): string[] {
  const { AUTH_AUDIENCE: audience, AUTH_ISSUER: issuer, AUTH_JWKS_URL: keys } = given;
  const { AUTH_USERINFO_URL: userinfo, BACKUP_DIR: backups, CONSOLE_HOST: host } = given;
  const { BACKUP_INTERVAL_HOURS: interval, BACKUP_KEEP: keep } = given;
  const usesUserinfo = given.AUTH_USERINFO !== 'off';
  const replicates = (given.REPLICATION || 'off') !== 'off';
  const problems: Record<string, unknown> = {
    'AUTH_AUDIENCE is unset; it must be the audience of the tokens, which AUTH_USERINFO=off or AUTH_JWKS_URL needs':
      (!usesUserinfo || keys) && !audience,
    'AUTH_USERINFO is "off"; it must be on if AUTH_USERINFO_URL is set': !usesUserinfo && userinfo,
    'AUTH_ISSUER is unset; it must be the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)':
      audience && !issuer && !keys,
    'AUTH_USERINFO_URL is unset; it must be the endpoint to call after the check of a token by its keys (or set AUTH_ISSUER, or AUTH_USERINFO=off)':
      usesUserinfo && audience && keys && !userinfo && !issuer,
    'ADMIN_API_KEY_FILE is set together with ADMIN_API_KEY; it must be unset, or the only one of the two':
      given.ADMIN_API_KEY && given.ADMIN_API_KEY_FILE,
    'BACKUP_DIR is unset; it must be the folder for the backups that BACKUP_INTERVAL_HOURS or BACKUP_KEEP asks for':
      !backups && (interval || keep) && interval !== '0',
    "BACKUP_DIR is set together with REPLICATION=async; it must be unset: Litestream's snapshots replace backups":
      backups && replicates,
    [`CONSOLE_ORIGIN is unset; it must be the https origin of the console, such as https://operator.example.com, because CONSOLE_HOST is ${JSON.stringify(host)}`]:
      host && !isLoopback(host) && !given.CONSOLE_ORIGIN,
  };
  const ofFile = { BACKUP_DIR: backups, BACKUP_INTERVAL_HOURS: interval, BACKUP_KEEP: keep };
  const set = { ...ofFile, REPLICATION: replicates, DATABASE_CREATE: given.DATABASE_CREATE };
  for (const [name, isSet] of Object.entries(set)) {
    problems[
      `${name} is set together with a postgres URL; it must be unset: Postgres has its own backups and standbys`
    ] = isSet && isPostgresUrl(given.DATABASE_URL ?? '');
  }
  return Object.keys(problems).filter((sentence) => problems[sentence]);
}

export function readDatabasePath(environment: Environment): string {
  const { file } = readValues(environment, ['DATABASE_URL']).DATABASE_URL;
  if (file !== '') return file;
  throw new SettingError(
    'DATABASE_URL is a postgres URL; it must be a local file such as file:data/service.db',
  );
}

/** The key that a client program sends; during a rotation the first one of the file. */
export function readSentAdminKey(environment: Environment, readFile?: ReadFile): string {
  const names = ['ADMIN_API_KEY', 'ADMIN_API_KEY_FILE'] as const;
  const values = readValues(environment, names, readFile);
  const key = values.ADMIN_API_KEY_FILE?.[0] ?? values.ADMIN_API_KEY;
  if (key !== undefined) return key;
  throw new SettingError(
    "ADMIN_API_KEY is unset, as is ADMIN_API_KEY_FILE; it must be the service's admin key",
  );
}

/** Undefined: no backups. `intervalHours` 0: only on request. */
export function readBackups(environment: Environment) {
  const names = ['BACKUP_DIR', 'BACKUP_INTERVAL_HOURS', 'BACKUP_KEEP'] as const;
  const values = readValues(environment, names);
  const { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: intervalHours, BACKUP_KEEP: keep } = values;
  return folder === undefined ? undefined : { folder, intervalHours, keep };
}

function signInSettings(values: Values): Required<SignInSettings> | undefined {
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
