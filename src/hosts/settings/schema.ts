// Every setting of the project's programs in one table: what its text must be, how it is parsed, and
// its default.

import { isJsonObject } from '../../core/domain/json.js';
import { IDENTITY_CACHE_MAX_SECONDS } from '../../core/domain/limits.js';
import { subjectPath } from '../../core/identity/claims.js';
import { isLoopback, isPrivate } from './addresses.js';
import { parsedPasswordHash } from './password-hash.js';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Reads a small text file; throws if it can't. */
export type ReadFile = (path: string) => string;
export type SettingName = keyof typeof SETTINGS;

function setting<T, Fallback = undefined>(
  /** What the value must be, for the error message. */
  wanted: string,
  /** Returns undefined or throws if the text can't be used. */
  parse: (text: string, readFile?: ReadFile) => T | undefined,
  fallback?: Fallback,
) {
  return { wanted, parse, fallback: fallback as T | Fallback };
}

const text = <Fallback = undefined>(fallback?: Fallback) =>
  setting('a text', (given) => given, fallback);

function wholeNumber<Fallback = undefined>(min: number, max: number, fallback?: Fallback) {
  const parse = (given: string) => {
    const number = /^[0-9]{1,16}$/.test(given) ? Number(given) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };
  return setting(`a whole number from ${min} to ${max}`, parse, fallback);
}

const port = <Fallback = undefined>(fallback?: Fallback) => wholeNumber(0, 65_535, fallback);

/** The first word is the default. */
function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]) {
  const wanted = words.join(', ').replace(/, (\w+)$/, ' or $1');
  return setting(wanted, (given) => words.find((word) => word === given), words[0]);
}

/** Comma-separated. An empty list is invalid, because it would admit everyone, like an unset one. */
function list(wanted: string, isEntry: (entry: string) => boolean) {
  const parse = (given: string) => {
    const entries = given.split(',').flatMap((entry) => entry.trim() || []);
    return entries.length > 0 && entries.every(isEntry) ? entries : undefined;
  };
  return setting(wanted, parse, []);
}

export function isPostgresUrl(given: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(given);
}

/** `file`: the path; empty over Postgres. */
function database(given: string): { file: string; postgres?: string } | undefined {
  if (isPostgresUrl(given)) {
    // The folder of a socket can't be a URL's host, so the host is empty: `postgres:///service?host=/run/postgresql`.
    const url = given.replace(/^(postgres(?:ql)?:\/\/)([^/]*@)?\//, '$1$2localhost/');
    return new URL(url).pathname.length > 1 ? { file: '', postgres: given } : undefined;
  }
  const [, path = ''] = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(given) ?? [];
  const file = decodeURIComponent(path);
  // A NUL would make the native library abort the process.
  return file === '' || /^\/\/|:memory:|\0/.test(file) ? undefined : { file };
}

/** An address over TLS, or on this machine. */
function safeUrl(given: string): string | undefined {
  const { protocol, hostname, username, password, href } = new URL(given);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isSafe && username + password === '' ? href : undefined;
}

const PROVIDER_URL = setting('an https URL without credentials (http on loopback only)', safeUrl);

function headers(given: string): Record<string, string> | undefined {
  const parsed: unknown = JSON.parse(given);
  if (!isJsonObject(parsed)) return undefined;
  if (Object.values(parsed).some((value) => typeof value !== 'string')) return undefined;
  // `Headers` lower-cases the names, so that the service's own headers replace them.
  return Object.fromEntries(new Headers(parsed as Record<string, string>));
}

/** Whether browsers send the origin in this form. `URL.origin` is "null" for an app's scheme, such as `capacitor:`. */
function isOrigin(given: string): boolean {
  const { protocol, host } = URL.canParse(given) ? new URL(given) : { host: '' };
  return host !== '' && !given.includes('*') && given === `${protocol}//${host.toLowerCase()}`;
}

/** The path of Litestream's control socket; null: no replica. */
function replica(given: string): { socketPath: string } | null | undefined {
  if (given === 'off') return null;
  const [all, socketPath = '/var/run/litestream.sock'] = /^async(?::(.+))?$/.exec(given) ?? [];
  return all === undefined ? undefined : { socketPath };
}

const HEADER_TEXT = /^[!-~](?:[ -~]*[!-~])?$/;

/** One key, or two during a rotation. */
function keys(path: string, readFile?: ReadFile): readonly string[] | undefined {
  const found = (readFile?.(path) ?? '').split('\n').flatMap((line) => line.trim() || []);
  return [1, 2].includes(found.length) && found.every((key) => HEADER_TEXT.test(key))
    ? found
    : undefined;
}

const SERVICE_URL_DEFAULT = 'http://127.0.0.1:8080/api/v1';

export const SETTINGS = {
  HOST: text('127.0.0.1'),
  PORT: port(8080),
  DATABASE_URL: setting(
    'a local file such as file:data/service.db (one process owns the file), or postgres://user:password@host:5432/service for several processes (with %23 for a # in the password, %2F for a /)',
    database,
    { file: 'data/service.db' },
  ),
  DATABASE_CREATE: setting('yes', (given) => given === 'yes' || undefined, false),
  SAMPLE_RECORDS: oneOf('on', 'off'),
  ACCOUNT_MAX_BYTES: wholeNumber(0, Number.MAX_SAFE_INTEGER, 0),
  ACCOUNT_MAX_RECORDS: wholeNumber(0, Number.MAX_SAFE_INTEGER, 0),
  AUTH_USERINFO: oneOf('on', 'off'),
  AUTH_USERINFO_URL: PROVIDER_URL,
  AUTH_USERINFO_HEADERS: setting(
    'a JSON object of header names and text values, such as {"apikey":"…"}',
    headers,
    {},
  ),
  AUTH_USERINFO_METHOD: oneOf('GET', 'POST'),
  AUTH_SUBJECT_FIELD: setting(
    'a dotted path such as user.id, or a JSON Pointer such as /user/id (a member whose name is a URL needs a pointer: / becomes ~1)',
    (given) => subjectPath(given) && given,
    'sub',
  ),
  // Not normalized, because it is compared with the provider's spelling character by character.
  AUTH_ISSUER: setting(
    'an https URL without credentials (http on loopback only), query or fragment',
    (given) => (/[?#]/.test(given) ? undefined : safeUrl(given) && given),
  ),
  AUTH_JWKS_URL: PROVIDER_URL,
  AUTH_AUDIENCE: list('one or more audiences, separated by commas', () => true),
  AUTH_CACHE_SECONDS: wholeNumber(0, IDENTITY_CACHE_MAX_SECONDS, 0),
  // A key that no client can send in a header would lock the operator out silently.
  ADMIN_API_KEY: setting('printable ASCII without spaces at its ends', (given) =>
    HEADER_TEXT.test(given) ? given : undefined,
  ),
  ADMIN_API_KEY_FILE: setting(
    'a readable file with one or two keys in printable ASCII, one per line',
    keys,
  ),
  CORS_ALLOWED_ORIGINS: list(
    'comma-separated origins as browsers send them, such as https://app.example.com or capacitor://localhost, or *',
    (entry) => entry === '*' || isOrigin(entry),
  ),
  BACKUP_DIR: text(),
  ERASURE_LEDGER: text(),
  // At most a year.
  BACKUP_INTERVAL_HOURS: wholeNumber(0, 8_760, 24),
  BACKUP_KEEP: wholeNumber(1, 10_000, 7),
  REPLICATION: setting(
    'off, async, or async: with a path (sync was removed: to lose no acknowledged write with a machine, use Postgres with a synchronous standby)',
    replica,
    null,
  ),
  OPS_PORT: port(),
  OPS_HOST: setting(
    'a loopback or private address such as 127.0.0.1 or 10.0.0.5, because the operations port requires no key',
    (given) => (isLoopback(given) || isPrivate(given) ? given : undefined),
    '127.0.0.1',
  ),
  REQUEST_LOG: oneOf('off', 'slow', 'all'),
  // The following are for the console and the commands. The admin key is sent to this address.
  SERVICE_URL: setting(
    `an https address, or http on loopback, such as ${SERVICE_URL_DEFAULT}, without user, password or query`,
    (given) => (/[?#]/.test(given) ? undefined : safeUrl(given)?.replace(/\/+$/, '')),
    SERVICE_URL_DEFAULT,
  ),
  CONSOLE_HOST: text('127.0.0.1'),
  CONSOLE_PORT: port(8090),
  CONSOLE_ORIGIN: setting(
    'an https origin without a path, such as https://operator.example.com',
    (given) => (given.startsWith('https:') && isOrigin(given) ? given : undefined),
  ),
  CONSOLE_PASSWORD_HASH: setting('a line printed by `npm run manage -- hash`', parsedPasswordHash),
};
