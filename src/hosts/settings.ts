// The environment, read once at the start. The result is frozen settings, or an
// error of one sentence.

import { ADMIN_KEY_MIN_CHARACTERS } from '../core/domain/limits.js';
import { AUDIENCE_HINT } from '../core/identity/identity-provider.js';
import type { SignInSettings } from '../core/identity/sign-in.js';
import { readSignIn } from './settings/identity-settings.js';
import { type OperationsSettings, readOperationsSettings } from './settings/operations-settings.js';
import { readPostgresUrl } from './settings/postgres-settings.js';
import { type ReplicationSettings, readReplication } from './settings/replication-settings.js';
import {
  type Environment,
  MASKED,
  onOrOff,
  type Parser,
  quoted,
  type ReadFile,
  read,
  SettingError,
  textOfFile,
  wholeNumber,
} from './settings/setting-values.js';

export type { OperationsSettings } from './settings/operations-settings.js';
export {
  type Environment,
  isLoopback,
  type ReadFile,
  SettingError,
} from './settings/setting-values.js';

export interface Settings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Of the database file; empty over Postgres. */
  readonly databasePath: string;
  /** Undefined: the database is a file. */
  readonly postgresUrl: string | undefined;
  /** A missing database is made also where an earlier one is known to have been. */
  readonly databaseCreate: boolean;
  /** A new database gets the sample rows of `local-preview`. */
  readonly sampleRecords: boolean;
  /** Undefined: every bearer token is answered 503 `AUTH_UNAVAILABLE`. */
  readonly signIn: SignInSettings | undefined;
  /** Two while the key is rotated: both are taken. */
  readonly adminKey: string | readonly string[] | undefined;
  readonly corsAllowedOrigins: readonly string[];
  /** Undefined: no backups. */
  readonly backups: BackupSettings | undefined;
  /** Path of the ledger of erased accounts; undefined: beside the folder of the backups. */
  readonly erasureLedger: string | undefined;
  /** Undefined: there is no replica. */
  readonly replication: ReplicationSettings | undefined;
  readonly accountLimits: AccountLimitSettings;
  readonly operations: OperationsSettings;
}

/** 0: no limit. */
export interface AccountLimitSettings {
  readonly maxBytes: number;
  readonly maxRecords: number;
}

export interface BackupSettings {
  readonly folder: string;
  /** 0: only when asked for. */
  readonly intervalHours: number;
  /** How many are kept, at least 1. */
  readonly keep: number;
}

/** A year. */
const BACKUP_INTERVAL_MAX_HOURS = 8_760;
const BACKUP_KEEP_MAX = 10_000;
/** The old one and the new one, while the key is rotated. */
const ADMIN_KEYS_MAX = 2;

/**
 * Throws a `SettingError` for the first setting that cannot be used. An empty
 * variable is an unset one. A host without files passes no `readFile`.
 */
export function readSettings(environment: Environment, readFile?: ReadFile): Settings {
  const postgresUrl = readPostgresUrl(environment);
  return Object.freeze({
    host: environment['HOST'] || '127.0.0.1',
    port: read(environment, 'PORT', wholeNumber(0, 65_535), 8080),
    databasePath: postgresUrl === undefined ? readDatabasePath(environment, OR_POSTGRES) : '',
    postgresUrl,
    databaseCreate: read(environment, 'DATABASE_CREATE', yes, false),
    sampleRecords: readSampleRecords(environment),
    signIn: readSignIn(environment),
    adminKey: readAdminKey(environment, readFile),
    corsAllowedOrigins: read(environment, 'CORS_ALLOWED_ORIGINS', originList, []),
    backups: readBackups(environment),
    erasureLedger: environment['ERASURE_LEDGER'] || undefined,
    replication: readReplication(environment),
    accountLimits: readAccountLimits(environment),
    operations: readOperationsSettings(environment),
  });
}

/** The database file alone, for a program that needs no other setting. Throws a `SettingError`. */
export function readDatabasePath(environment: Environment, orElse = ''): string {
  return read(environment, 'DATABASE_URL', databaseFile(orElse), 'data/service.db');
}

/** The service's other kind of database. */
const OR_POSTGRES = ', or postgres://… for several processes';

/** The operator's key or keys, from the one of the two settings that is there. Throws a `SettingError`. */
export function readAdminKey(
  environment: Environment,
  readFile?: ReadFile,
): string | readonly string[] | undefined {
  const name = 'ADMIN_API_KEY_FILE';
  const key = read(environment, 'ADMIN_API_KEY', headerText, undefined);
  const path = environment[name];
  if (!path) return key;
  if (key !== undefined) {
    throw new SettingError(name, 'set beside ADMIN_API_KEY', 'the only one of the two');
  }
  return keysIn(path, readFile);
}

/** The key that a program sends: during a rotation the first one, which is the newer. Throws a `SettingError`. */
export function readSentAdminKey(environment: Environment, readFile?: ReadFile): string {
  const [key] = [readAdminKey(environment, readFile) ?? []].flat();
  if (key !== undefined) return key;
  throw new SettingError(
    'ADMIN_API_KEY',
    'unset, as is ADMIN_API_KEY_FILE',
    "the service's admin key",
  );
}

function keysIn(path: string, readFile: ReadFile | undefined): string[] {
  const name = 'ADMIN_API_KEY_FILE';
  const wanted = 'a readable file of one or two keys, a line each';
  const text = textOfFile(name, path, readFile, wanted);
  const keys = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (keys.length < 1 || keys.length > ADMIN_KEYS_MAX) {
    throw new SettingError(name, `${quoted(path)}, which has ${keys.length} keys`, wanted);
  }
  return keys.map((key) => headerText(name, key));
}

/** Whether a new database, or a new deployment, gets the sample rows. Throws a `SettingError`. */
export function readSampleRecords(environment: Environment): boolean {
  return read(environment, 'SAMPLE_RECORDS', onOrOff, 'on') === 'on';
}

/** The limits that an account of either host has, where the host sets none of its own. */
export function readAccountLimits(environment: Environment, maxBytes = 0): AccountLimitSettings {
  const count = wholeNumber(0, Number.MAX_SAFE_INTEGER);
  return {
    maxBytes: read(environment, 'ACCOUNT_MAX_BYTES', count, maxBytes),
    maxRecords: read(environment, 'ACCOUNT_MAX_RECORDS', count, 0),
  };
}

/**
 * The backups alone, for a program that needs no other setting. The start fails where
 * backups are asked for and no folder is named.
 */
export function readBackups(environment: Environment): BackupSettings | undefined {
  const hours = wholeNumber(0, BACKUP_INTERVAL_MAX_HOURS);
  const intervalHours = read(environment, 'BACKUP_INTERVAL_HOURS', hours, undefined);
  const keep = read(environment, 'BACKUP_KEEP', wholeNumber(1, BACKUP_KEEP_MAX), undefined);
  const folder = environment['BACKUP_DIR'];
  if (folder) return { folder, intervalHours: intervalHours ?? 24, keep: keep ?? 7 };
  if (intervalHours === 0 || (intervalHours ?? keep) === undefined) return undefined;
  const asking = intervalHours ? 'BACKUP_INTERVAL_HOURS' : 'BACKUP_KEEP';
  throw new SettingError(
    'BACKUP_DIR',
    'unset',
    `the folder for the backups that ${asking} asks for`,
  );
}

/** How often all accounts are copied on Workers, and how many copies are kept. Throws a `SettingError`. */
export function readCopySchedule(
  environment: Environment,
): Pick<BackupSettings, 'intervalHours' | 'keep'> {
  const hours = wholeNumber(0, BACKUP_INTERVAL_MAX_HOURS);
  return {
    intervalHours: read(environment, 'BACKUP_INTERVAL_HOURS', hours, 24),
    keep: read(environment, 'BACKUP_KEEP', wholeNumber(1, BACKUP_KEEP_MAX), 7),
  };
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
    warnings.push({ event: 'identity_audience_unchecked', hint: AUDIENCE_HINT });
  }
  const keys = [settings.adminKey ?? []].flat();
  const isShort = ({ length }: string) => length < ADMIN_KEY_MIN_CHARACTERS;
  if (keys.some(isShort)) {
    const effect = keys.every(isShort)
      ? 'the administration API stays disabled'
      : 'the short one of the two admin keys is not taken';
    warnings.push({
      event: 'admin_key_too_short',
      hint: `${effect}; an admin key needs ${ADMIN_KEY_MIN_CHARACTERS} characters or more`,
    });
  }
  return warnings;
}

/** `orElse`: what may be given in place of a file. */
const databaseFile =
  (orElse: string): Parser<string> =>
  (name, text) => {
    const wanted = `a local file such as file:data/service.db (one process owns the file)${orElse}`;
    const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1];
    if (path === undefined || path.startsWith('//') || path.includes(':memory:')) {
      // Other schemes carry their credentials in the URL.
      const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(text)?.[0];
      const given = scheme === undefined ? `no URL ${MASKED}` : `a ${scheme} URL ${MASKED}`;
      throw new SettingError(name, scheme === 'file' ? quoted(text) : given, wanted);
    }
    try {
      const decoded = decodeURIComponent(path);
      // The native library would abort the process.
      if (decoded.includes('\0')) throw new Error();
      return decoded;
    } catch {
      throw new SettingError(name, quoted(text), wanted);
    }
  };

const yes: Parser<boolean> = (name, text) => {
  if (text === 'yes') return true;
  throw new SettingError(name, quoted(text), 'yes, or unset');
};

/** A key that no client can send in a header would lock the operator out silently. */
const headerText: Parser<string> = (name, text) => {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  throw new SettingError(name, MASKED, 'printable ASCII without spaces at its ends');
};

const originList: Parser<string[]> = (name, text) => {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  // A list without an entry would admit everybody, as an unset one does.
  if (origins.length > 0 && origins.every(isOrigin)) return origins;
  throw new SettingError(
    name,
    quoted(text),
    'comma-separated origins such as https://app.example.com, without a path, or *',
  );
};

function isOrigin(text: string): boolean {
  if (text === '*') return true;
  return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
}
