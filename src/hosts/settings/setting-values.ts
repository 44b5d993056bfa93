// How a setting's text is read, and how one that cannot be used is told: the
// parts that every group of settings needs.

import type { SettingName } from './setting-names.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used; the message names it, what it holds (secrets masked) and what it must be. */
export class SettingError extends Error {
  constructor(name: string, given: string, wanted: string) {
    super(`${name} is ${given}; it must be ${wanted}`);
    this.name = 'SettingError';
  }
}

export const MASKED = '(hidden)';

/** Reads a small text file whole; throws where it cannot. */
export type ReadFile = (path: string) => string;

/** The text of a file that a setting names. Throws a `SettingError`. */
export function textOfFile(
  name: SettingName,
  path: string,
  readFile: ReadFile | undefined,
  wanted: string,
): string {
  if (readFile === undefined) {
    throw new SettingError(name, quoted(path), 'unset on this host, which has no files');
  }
  try {
    return readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new SettingError(name, `${quoted(path)}, which cannot be read${code}`, wanted);
  }
}

export type Parser<T> = (name: string, text: string) => T;

export function read<T, D>(
  environment: Environment,
  name: SettingName,
  parse: Parser<T>,
  unset: D,
): T | D {
  const text = environment[name];
  return text === undefined || text === '' ? unset : parse(name, text);
}

export function wholeNumber(min: number, max: number): Parser<number> {
  return (name, text) => {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new SettingError(name, quoted(text), `a whole number from ${min} to ${max}`);
  };
}

export const onOrOff: Parser<'on' | 'off'> = (name, text) => {
  if (text === 'on' || text === 'off') return text;
  throw new SettingError(name, quoted(text), 'on or off');
};

/** An address of the identity provider: tokens are sent to it, or keys are read from it. */
export const providerUrl: Parser<string> = (name, text) => {
  const wanted = 'an https URL without credentials (http on loopback only)';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new SettingError(name, `no URL ${MASKED}`, wanted);
  const isPlainLoopback = url.protocol === 'http:' && isLoopback(url.hostname);
  const hasCredentials = url.username !== '' || url.password !== '';
  if (hasCredentials || (url.protocol !== 'https:' && !isPlainLoopback)) {
    throw new SettingError(name, quoted(`${url.protocol}//${url.host}`), wanted);
  }
  return url.href;
};

/** Whether an address of this machine alone is meant. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/** The text without what a URL in it keeps secret: credentials and query. */
export function quoted(text: string): string {
  const masked = text
    .replace(/\/\/[^/,]*@/g, `//${MASKED}@`)
    .replace(/([?#])[^,]*/g, `$1${MASKED}`);
  return JSON.stringify(masked);
}

/** RFC 1918, RFC 6598 (shared), RFC 3927 (link-local), RFC 4193 (unique local), fe80::/10. */
export function isPrivate(address: string): boolean {
  if (/^f[cd][0-9a-f]{2}:[0-9a-f:]*$/i.test(address)) return true;
  if (/^fe[89ab][0-9a-f]:[0-9a-f:]*(?:%\w+)?$/i.test(address)) return true;
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return false;
  const [first = 0, second = 0] = parts;
  if (first === 10) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}
