// Every setting of the project's programs in one zod object: how its text is judged, what it becomes,
// and its default. A text is judged before it is transformed, so that a message shows what was given.

import { z } from 'zod';
import { IDENTITY_CACHE_MAX_SECONDS } from '../../core/domain/limits.js';
import { subjectPath } from '../../core/identity/claims.js';
import { isLoopback, isPrivate } from './addresses.js';
import { parsedPasswordHash } from './password-hash.js';
import { hidden, masked } from './setting-error.js';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Reads a small text file whole; throws if it can't. */
export type ReadFile = (path: string) => string;

/** A setting whose text `parse` turns into a value. The text is invalid if it throws or returns undefined. */
function setting<T>(
  wanted: string,
  parse: (text: string) => T | undefined,
  shown: (text: string) => string = masked,
) {
  return z.string().transform((text, context): T => {
    try {
      const value = parse(text);
      if (value !== undefined) return value;
    } catch {}
    context.addIssue(`is ${shown(text)}; it must be ${wanted}`);
    return z.NEVER;
  });
}

function oneOf<const Word extends string>(...words: readonly Word[]) {
  const wanted = words.join(', ').replace(/, (\w+)$/, ' or $1');
  return setting(wanted, (text) => words.find((word) => word === text));
}

function wholeNumber(min: number, max: number) {
  return setting(`a whole number from ${min} to ${max}`, (text) => {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

/** Comma-separated. An empty list would admit everyone, as an unset one does. */
function list(wanted: string, isEntry: (text: string) => boolean) {
  return setting(wanted, (text) => {
    const entries = text.split(',').flatMap((entry) => entry.trim() || []);
    return entries.length > 0 && entries.every(isEntry) ? entries : undefined;
  });
}

/** The path of a local file such as `file:data/service.db`. */
function filePath(text: string): string | undefined {
  const [, path = ''] = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text) ?? [];
  if (path === '' || path.startsWith('//') || path.includes(':memory:')) return undefined;
  const decoded = decodeURIComponent(path);
  // The native library would abort the process.
  return decoded.includes('\0') ? undefined : decoded;
}

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

function database(text: string): { file: string } | { postgres: string } | undefined {
  if (!isPostgresUrl(text)) {
    const file = filePath(text);
    return file === undefined ? undefined : { file };
  }
  // The host of a socket is a folder, which no URL can have as its host: `?host=/run/postgresql`.
  const url = text.replace(/^(postgres(?:ql)?:\/\/)([^/]*@)?\//, '$1$2localhost/');
  return new URL(url).pathname.length > 1 ? { postgres: text } : undefined;
}

/** Over TLS, or not beyond this machine. */
function safeUrl(text: string): string | undefined {
  const { protocol, hostname, username, password, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isSafe && username + password === '' ? href : undefined;
}

/** Other texts may be a secret by mistake. */
function urlShown(text: string): string {
  return URL.canParse(text) ? masked(text) : hidden('no URL');
}

const PROVIDER_URL = setting(
  'an https URL without credentials (http on loopback only)',
  safeUrl,
  urlShown,
);

/** Compared with the provider's own spelling character by character, so it is not normalized. */
const ISSUER = setting(
  'an https URL without credentials (http on loopback only), query or fragment',
  (text) => (safeUrl(text) !== undefined && !/[?#]/.test(text) ? text : undefined),
  urlShown,
);

function headers(text: string): Record<string, string> | undefined {
  const entries = Object.entries(z.record(z.string(), z.string()).parse(JSON.parse(text)));
  // `Headers` makes the names lower-case, so that the service's own headers replace them.
  return Object.fromEntries(new Headers(entries));
}

/** As browsers send it. `URL.origin` is "null" for the scheme of an app, such as `capacitor:`. */
function isOrigin(text: string): boolean {
  const { protocol, host } = URL.canParse(text) ? new URL(text) : { host: '' };
  return host !== '' && !text.includes('*') && text === `${protocol}//${host.toLowerCase()}`;
}

/** The system's limit of a socket's path. */
const SOCKET_PATH_MAX_BYTES = 107;

/** The path of Litestream's control socket; null: no replica. */
function socketPath(text: string): string | null | undefined {
  if (text === 'off') return null;
  if (text === 'async') return '/var/run/litestream.sock';
  const path = /^async:([^\0]+)$/.exec(text)?.[1];
  return path !== undefined && path.length <= SOCKET_PATH_MAX_BYTES ? path : undefined;
}

function isHeaderText(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

/** The old key and the new one, while it is rotated. */
const ADMIN_KEYS_MAX = 2;
/** A host without files has no `readFile`. */
type KeyFile = { readonly path: string; readonly readFile: ReadFile | undefined };

const KEY_FILE = z.custom<KeyFile>().transform((file, context) => {
  const keys = keysIn(file);
  if (typeof keys !== 'string') return keys;
  context.addIssue(
    `is ${masked(file.path)}, which ${keys}; it must be a readable file of one or two keys, a line each, in printable ASCII`,
  );
  return z.NEVER;
});

/** The keys, or why they can't be used. */
function keysIn({ path, readFile }: KeyFile): readonly string[] | string {
  if (readFile === undefined) return 'cannot be read on this host';
  try {
    const lines = readFile(path).split('\n');
    const keys = lines.map((line) => line.trim()).filter((line) => line !== '');
    if (keys.length < 1 || keys.length > ADMIN_KEYS_MAX) return `has ${keys.length} keys`;
    return keys.every(isHeaderText) ? keys : 'has other characters';
  } catch (error) {
    return `cannot be read (${(error as { code?: string }).code})`;
  }
}

const SERVICE_URL_DEFAULT = 'http://127.0.0.1:8080/api/v1';
const COUNT = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const PORT = wholeNumber(0, 65_535);
/** A year. */
const BACKUP_INTERVAL_MAX_HOURS = 8_760;
const BACKUP_KEEP_MAX = 10_000;

export const SETTINGS = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: PORT.default(8080),
  DATABASE_URL: setting(
    'a local file such as file:data/service.db (one process owns the file), or postgres://user:password@host:5432/service for several processes (with %23 for a # in the password, %2F for a /)',
    database,
    urlShown,
  ).default({ file: 'data/service.db' }),
  DATABASE_CREATE: oneOf('yes').optional(),
  SAMPLE_RECORDS: oneOf('on', 'off').default('on'),
  ACCOUNT_MAX_BYTES: COUNT.optional(),
  ACCOUNT_MAX_RECORDS: COUNT.default(0),
  AUTH_USERINFO: oneOf('on', 'off').default('on'),
  AUTH_USERINFO_URL: PROVIDER_URL.optional(),
  AUTH_USERINFO_HEADERS: setting(
    'a JSON object of header names and text values, such as {"apikey":"…"}',
    headers,
    () => hidden(),
  ).default({}),
  AUTH_USERINFO_METHOD: oneOf('GET', 'POST').default('GET'),
  AUTH_SUBJECT_FIELD: setting(
    'a dotted path such as user.id, or a JSON Pointer such as /user/id (a member whose name is a URL needs a pointer: / becomes ~1)',
    (text) => subjectPath(text) && text,
  ).default('sub'),
  AUTH_ISSUER: ISSUER.optional(),
  AUTH_JWKS_URL: PROVIDER_URL.optional(),
  AUTH_AUDIENCE: list('one or more audiences, separated by commas', () => true).default([]),
  AUTH_CACHE_SECONDS: wholeNumber(0, IDENTITY_CACHE_MAX_SECONDS).default(0),
  /** A key that no client can send in a header would lock the operator out silently. */
  ADMIN_API_KEY: setting(
    'printable ASCII without spaces at its ends',
    (text) => (isHeaderText(text) ? text : undefined),
    () => hidden(),
  ).optional(),
  ADMIN_API_KEY_FILE: KEY_FILE.optional(),
  CORS_ALLOWED_ORIGINS: list(
    'comma-separated origins as browsers send them, such as https://app.example.com or capacitor://localhost, or *',
    (text) => text === '*' || isOrigin(text),
  ).default([]),
  BACKUP_DIR: z.string().optional(),
  ERASURE_LEDGER: z.string().optional(),
  BACKUP_INTERVAL_HOURS: wholeNumber(0, BACKUP_INTERVAL_MAX_HOURS).default(24),
  BACKUP_KEEP: wholeNumber(1, BACKUP_KEEP_MAX).default(7),
  REPLICATION: setting(
    `off, async, or async: with a path of at most ${SOCKET_PATH_MAX_BYTES} bytes (sync is gone: to lose no acknowledged write with a machine, use Postgres with a synchronous standby)`,
    socketPath,
  ).default(null),
  OPS_PORT: PORT.optional(),
  OPS_HOST: setting(
    'a loopback or private address such as 127.0.0.1 or 10.0.0.5: the operations port asks for no key',
    (text) => (isLoopback(text) || isPrivate(text) ? text : undefined),
  ).default('127.0.0.1'),
  REQUEST_LOG: oneOf('off', 'slow', 'all').default('off'),
  /** The rest belongs to the console and the commands. */
  // The admin key goes there: over TLS, or not beyond this machine.
  SERVICE_URL: setting(
    `an https address, or http on loopback, such as ${SERVICE_URL_DEFAULT}, without user, password or query`,
    (text) => (/[?#]/.test(text) ? undefined : safeUrl(text)?.replace(/\/+$/, '')),
    urlShown,
  ).default(SERVICE_URL_DEFAULT),
  CONSOLE_HOST: z.string().default('127.0.0.1'),
  CONSOLE_PORT: PORT.default(8090),
  CONSOLE_ORIGIN: setting(
    'an https origin without a path, such as https://operator.example.com',
    (text) => (text.startsWith('https:') && isOrigin(text) ? text : undefined),
  ).optional(),
  CONSOLE_PASSWORD_HASH: setting(
    'a line printed by `npm run manage -- hash`',
    parsedPasswordHash,
    () => hidden(),
  ).optional(),
});
