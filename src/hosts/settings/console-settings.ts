// The settings of the operator's console: which service it shows, where it
// listens, and how its operator signs in.

import { type ReadFile, readSentAdminKey } from '../settings.js';
import {
  type Environment,
  isLoopback,
  MASKED,
  type Parser,
  quoted,
  read,
  SettingError,
  wholeNumber,
} from './setting-values.js';

export interface ConsoleSettings {
  /** With `/api/v1`, without a slash at the end. */
  readonly serviceUrl: string;
  readonly adminKey: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The https origin that browsers use; undefined where they reach the console on loopback. */
  readonly origin: string | undefined;
  /** Undefined: each sign-in takes a code that the console prints. */
  readonly passwordHash: PasswordHash | undefined;
  /** The service's operations port, `http://HOST:PORT`; undefined: the pages show none of its facts. */
  readonly opsUrl: string | undefined;
  /** The admin key may go there: not beyond this machine. */
  readonly opsTakesKey: boolean;
  /** An IANA name, such as `Africa/Dar_es_Salaam`. */
  readonly timeZone: string;
}

/** A password as scrypt keeps it (RFC 7914). */
export interface PasswordHash {
  /** N: a power of two. */
  readonly cost: number;
  /** r */
  readonly blockSize: number;
  /** p */
  readonly parallelization: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export const SERVICE_URL_DEFAULT = 'http://127.0.0.1:8080/api/v1';
export const CONSOLE_PORT_DEFAULT = 8090;
/** scrypt with r = 8 takes 1 KiB for each step of N: this is 256 MiB. */
const SCRYPT_COST_MAX = 262_144;
const SCRYPT_HASH_BYTES = 32;

/** Throws a `SettingError` for the first setting that cannot be used. No message has the key or the hash. */
export function readConsoleSettings(
  environment: Environment,
  readFile: ReadFile | undefined,
): ConsoleSettings {
  const adminKey = readSentAdminKey(environment, readFile);
  const host = environment['CONSOLE_HOST'] || '127.0.0.1';
  const opsPort = read(environment, 'OPS_PORT', wholeNumber(0, 65_535), 0);
  const opsHost = read(environment, 'OPS_HOST', hostName, '127.0.0.1');
  const origin = read(environment, 'CONSOLE_ORIGIN', httpsOrigin, undefined);
  if (!isLoopback(host) && origin === undefined) {
    throw new SettingError(
      'CONSOLE_ORIGIN',
      'unset',
      `the https origin of the console, such as https://operator.example.com, because CONSOLE_HOST is ${JSON.stringify(host)}`,
    );
  }
  return Object.freeze({
    serviceUrl: read(environment, 'SERVICE_URL', serviceUrl, SERVICE_URL_DEFAULT),
    adminKey,
    host,
    port: read(environment, 'CONSOLE_PORT', wholeNumber(0, 65_535), CONSOLE_PORT_DEFAULT),
    origin,
    passwordHash: read(environment, 'CONSOLE_PASSWORD_HASH', passwordHash, undefined),
    opsUrl: opsPort === 0 ? undefined : `http://${opsHost}:${opsPort}`,
    opsTakesKey: isLoopback(opsHost),
    timeZone: read(environment, 'CONSOLE_TIME_ZONE', timeZone, 'Africa/Dar_es_Salaam'),
  });
}

/** `scrypt$N$r$p$salt$hash`, as `CONSOLE_PASSWORD_HASH` takes it. */
export function passwordHashText(given: PasswordHash): string {
  const { cost, blockSize, parallelization, salt, hash } = given;
  const encoded = [salt, hash].map((bytes) => Buffer.from(bytes).toString('base64url'));
  return ['scrypt', cost, blockSize, parallelization, ...encoded].join('$');
}

const passwordHash: Parser<PasswordHash> = (name, text) => {
  // As `manage hash` prints it: `podman --env-file` keeps the quotation marks.
  const bare = /^'(.*)'$/.exec(text)?.[1] ?? text;
  const [, cost, blockSize, parallelization, salt = '', hash = ''] =
    /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{16,128})\$([\w-]{43})$/.exec(bare) ?? [];
  const parsed: PasswordHash = {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
  const isPowerOfTwo = parsed.cost > 1 && (parsed.cost & (parsed.cost - 1)) === 0;
  const isUsable =
    isPowerOfTwo &&
    parsed.cost <= SCRYPT_COST_MAX &&
    parsed.blockSize >= 1 &&
    parsed.parallelization >= 1 &&
    parsed.hash.length === SCRYPT_HASH_BYTES;
  if (isUsable) return parsed;
  throw new SettingError(name, MASKED, 'a line that `npm run manage -- hash` has printed');
};

/** The key goes there: over TLS, or not beyond this machine. */
const serviceUrl: Parser<string> = (name, text) => {
  const wanted = `an https address, or http on loopback, such as ${SERVICE_URL_DEFAULT}, without user, password or query`;
  const url = plainAddress(text);
  if (url === undefined) throw new SettingError(name, `no plain address ${MASKED}`, wanted);
  if (mayGetKey(url)) return url.href.replace(/\/+$/, '');
  throw new SettingError(name, quoted(text), wanted);
};

function mayGetKey({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopback(hostname);
}

const hostName: Parser<string> = (name, text) => {
  const host = text.includes(':') ? `[${text}]` : text;
  if (URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host) return host;
  throw new SettingError(name, quoted(text), 'the host of the operations port, such as 127.0.0.1');
};

function plainAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username + url.password + url.search + url.hash === '' ? url : undefined;
}

const httpsOrigin: Parser<string> = (name, text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.origin === text) return text;
  const wanted = 'an https origin without a path, such as https://operator.example.com';
  throw new SettingError(name, quoted(text), wanted);
};

const timeZone: Parser<string> = (name, text) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new SettingError(name, quoted(text), 'a time zone such as Africa/Dar_es_Salaam');
  }
};
