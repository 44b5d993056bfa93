// The environment, read once at the start. The result is frozen settings, or an error that tells
// every setting that cannot be used.

import { ADMIN_KEY_MIN_CHARACTERS } from '../core/domain/limits.js';
import type { SignInSettings } from '../core/identity/sign-in.js';
import { type Environment, filePath, isHeaderText, SETTINGS } from './settings/schema.js';
import { hidden, type Judged, masked, SettingError } from './settings/setting-error.js';
import { type Problem, type SignInTexts, signInProblems } from './settings/sign-in-rules.js';

export type { Environment } from './settings/schema.js';

/** Reads a small text file whole; throws if it can't. */
export type ReadFile = (path: string) => string;

type Name = keyof typeof SETTINGS.shape;
type Values = ReturnType<typeof SETTINGS.parse>;

export type Settings = ReturnType<typeof readSettings>;
/** 0: no limit. */
export type AccountLimitSettings = Settings['accountLimits'];
export type BackupSettings = NonNullable<Settings['backups']>;
export type OperationsSettings = Settings['operations'];

/** The old one and the new one, while the key is rotated. */
const ADMIN_KEYS_MAX = 2;

/** Of the service; the others are the console's. */
const NAMES = (Object.keys(SETTINGS.shape) as Name[]).filter(
  (name) => name !== 'SERVICE_URL' && !name.startsWith('CONSOLE_'),
);

/**
 * Throws a `SettingError` with every setting that can't be used. An empty variable is an
 * unset one. A host without files passes no `readFile`.
 */
export function readSettings(environment: Environment, readFile?: ReadFile) {
  const values = valuesIn(environment, NAMES);
  const { DATABASE_URL: database, OPS_PORT: port, REQUEST_LOG: choice } = values;
  const postgresUrl = 'postgres' in database ? database.postgres : undefined;
  refuse([
    ...(postgresUrl === undefined ? [] : problemsOverPostgres(values)),
    ...backupProblems(values),
    ...signInProblems(values),
  ]);
  const { REPLICATION: socketPath, ACCOUNT_MAX_BYTES: maxBytes = 0 } = values;
  return Object.freeze({
    host: values.HOST,
    /** 0 picks a free port. */
    port: values.PORT,
    /** Of the database file; empty over Postgres. */
    databasePath: 'file' in database ? database.file : '',
    /** Undefined: the database is a file. */
    postgresUrl,
    /** Create a missing database although an earlier one is known. */
    databaseCreate: values.DATABASE_CREATE,
    /** A new database gets the sample rows of `local-preview`. */
    sampleRecords: values.SAMPLE_RECORDS === 'on',
    /** Undefined: every bearer token is answered 503 `AUTH_UNAVAILABLE`. */
    signIn: signInIn(values),
    /** Two while the key is rotated: both are taken. */
    adminKey: adminKeyIn(values, readFile),
    corsAllowedOrigins: values.CORS_ALLOWED_ORIGINS,
    /** Undefined: no backups. */
    backups: backupsIn(values),
    /** Path of the ledger of erased accounts; undefined: beside the folder of the backups. */
    erasureLedger: values.ERASURE_LEDGER,
    /** Undefined: there is no replica. The path of Litestream's control socket. */
    replication: socketPath === null ? undefined : { socketPath },
    accountLimits: { maxBytes, maxRecords: values.ACCOUNT_MAX_RECORDS },
    operations: {
      /** Undefined: no operations port. */
      port: port === undefined ? undefined : { host: values.OPS_HOST, port },
      /** Undefined: no request log. Requests that take this long get a line. */
      requestLog:
        choice === 'off' ? undefined : { fromMs: choice === 'all' ? 0 : values.SLOW_REQUEST_MS },
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
): Pick<Values, Some> {
  const chosen = Object.fromEntries(names.map((name) => [name, true]));
  const texts = names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []));
  const { data, error } = SETTINGS.pick(chosen as { [name in Name]: true }).safeParse(
    Object.fromEntries(texts),
  );
  refuse(
    (error?.issues ?? []).map((issue): Problem => {
      const { given, wanted } = (issue as unknown as { params: Judged }).params;
      return [String(issue.path[0]), given, wanted];
    }),
  );
  return data as Pick<Values, Some>;
}

function refuse(problems: readonly Problem[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  throw new SettingError(...first, ...others.map((problem) => new SettingError(...problem)));
}

/** Only the database file. Throws a `SettingError`. */
export function readDatabasePath(environment: Environment): string {
  const { DATABASE_URL: text = '' } = environment;
  const path = text === '' ? 'data/service.db' : filePath(text);
  if (path !== undefined) return path;
  throw new SettingError('DATABASE_URL', hidden(), 'a local file such as file:data/service.db');
}

/** The operator's key or keys, from whichever of the two settings is set. Throws a `SettingError`. */
export function readAdminKey(
  environment: Environment,
  readFile?: ReadFile,
): string | readonly string[] | undefined {
  return adminKeyIn(valuesIn(environment, ['ADMIN_API_KEY', 'ADMIN_API_KEY_FILE']), readFile);
}

/** The key that a program sends: during a rotation the first one, which is the newer. Throws a `SettingError`. */
export function readSentAdminKey(environment: Environment, readFile?: ReadFile): string {
  const [key] = [readAdminKey(environment, readFile) ?? []].flat();
  if (key !== undefined) return key;
  const given = 'unset, as is ADMIN_API_KEY_FILE';
  throw new SettingError('ADMIN_API_KEY', given, "the service's admin key");
}

/** Only the backups. Throws a `SettingError`. */
export function readBackups(environment: Environment) {
  return backupsIn(valuesIn(environment, ['BACKUP_DIR', 'BACKUP_INTERVAL_HOURS', 'BACKUP_KEEP']));
}

function adminKeyIn(
  values: Pick<Values, 'ADMIN_API_KEY' | 'ADMIN_API_KEY_FILE'>,
  readFile: ReadFile | undefined,
): string | readonly string[] | undefined {
  const { ADMIN_API_KEY: key, ADMIN_API_KEY_FILE: path } = values;
  if (path === undefined) return key;
  const refused = (given: string, wanted: string) =>
    new SettingError('ADMIN_API_KEY_FILE', given, wanted);
  if (key !== undefined)
    throw refused('set beside ADMIN_API_KEY', 'unset, or the only one of the two');
  if (readFile === undefined) {
    throw refused(masked(path), 'unset on this host, which has no files');
  }
  const unusable = (why: string) =>
    refused(
      `${masked(path)}, which ${why}`,
      'a readable file of one or two keys, a line each, in printable ASCII',
    );
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw unusable(`cannot be read${code}`);
  }
  const keys = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (keys.length < 1 || keys.length > ADMIN_KEYS_MAX) throw unusable(`has ${keys.length} keys`);
  if (!keys.every(isHeaderText)) throw unusable('has other characters');
  return keys;
}

type BackupValues = Pick<Values, 'BACKUP_DIR' | 'BACKUP_INTERVAL_HOURS' | 'BACKUP_KEEP'>;

/** `intervalHours` 0: only on request. `keep`: at least 1. */
function backupsIn(values: BackupValues) {
  const { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: intervalHours, BACKUP_KEEP: keep } = values;
  if (folder) return { folder, intervalHours: intervalHours ?? 24, keep: keep ?? 7 };
  if (intervalHours === 0 || (intervalHours ?? keep) === undefined) return undefined;
  const asking = intervalHours ? 'BACKUP_INTERVAL_HOURS' : 'BACKUP_KEEP';
  const wanted = `the folder for the backups that ${asking} asks for`;
  throw new SettingError('BACKUP_DIR', 'unset', wanted);
}

function backupProblems({ BACKUP_DIR: folder, REPLICATION: socket }: Values): Problem[] {
  if (folder === undefined || socket === null) return [];
  const wanted = "unset: Litestream's snapshots take the place of backups";
  return [['BACKUP_DIR', 'set beside REPLICATION=async', wanted]];
}

/** What belongs to the file, and what Postgres has instead. */
const OF_FILE = {
  BACKUP_DIR: "Postgres' own backups (pg_basebackup and the archived log, or the provider's)",
  BACKUP_INTERVAL_HOURS: "Postgres' own backups",
  BACKUP_KEEP: "Postgres' own backups",
  REPLICATION: "Postgres' own standbys (synchronous_standby_names)",
  DATABASE_CREATE: 'the tables are created in the database that DATABASE_URL names',
} as const;

function problemsOverPostgres(values: Values): Problem[] {
  return Object.entries(OF_FILE).flatMap(([name, instead]): Problem[] => {
    const value = values[name as keyof typeof OF_FILE];
    if (!value) return [];
    const wanted = `unset: it is for a database file; here ${instead}`;
    return [[name, 'set beside a postgres URL', wanted]];
  });
}

function signInIn(values: SignInTexts): SignInSettings | undefined {
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

/** Settings that are usable but probably mistakes, as log events. Never a secret's value. */
export function settingWarnings(settings: Settings): readonly { event: string; hint: string }[] {
  const warnings = [];
  if (settings.signIn === undefined) {
    warnings.push({
      event: 'identity_provider_not_configured',
      hint: 'every bearer token is answered 503; set AUTH_USERINFO_URL or AUTH_ISSUER',
    });
  } else if (settings.signIn.issuer !== undefined && settings.signIn.audiences.length === 0) {
    const hint =
      "tokens of any application of the provider are let in; set AUTH_AUDIENCE to this service's own";
    warnings.push({ event: 'identity_audience_unchecked', hint });
  }
  const keys = [settings.adminKey ?? []].flat();
  const isShort = ({ length }: string) => length < ADMIN_KEY_MIN_CHARACTERS;
  if (keys.some(isShort)) {
    const effect = keys.every(isShort)
      ? 'the administration API stays disabled'
      : 'the short one of the two admin keys is ignored';
    warnings.push({
      event: 'admin_key_too_short',
      hint: `${effect}; an admin key needs ${ADMIN_KEY_MIN_CHARACTERS} characters or more`,
    });
  }
  return warnings;
}
