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
