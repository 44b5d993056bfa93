// Names in an environment that are probably meant for settings: slips, which do nothing
// and leave the operator in the belief that they do.

import { SETTING_NAMES } from './setting-names.js';
import type { Environment } from './setting-values.js';

export interface MisspelledName {
  readonly event: 'setting_unknown';
  readonly hint: string;
}

/**
 * npm's own; and those that Kubernetes and Docker make from the names of services
 * (`OPS_SERVICE_HOST`, `OPS_PORT_80_TCP_ADDR`).
 */
const OF_OTHERS = /^npm_|_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/i;
/** Of the same makers: `OPS_PORT=tcp://10.0.0.1:80`. */
const ADDRESS_OF_OTHERS = /^(?:tcp|udp|sctp):\/\//;
/** Shorter names (`HOST`, `PORT`) are near to names of others: one letter more or less is no slip of theirs. */
const SHORT_NAME_LETTERS = 4;
/** So short a word may have one slip, but no other first letter: `URI` is one for `URL`, `VPS` none for `OPS`. */
const SHORT_WORD_LETTERS = 4;
/** A word or name of up to so many letters may have one slip, a longer one two. */
const ONE_SLIP_MAX_LETTERS = 10;
/** `AUTH_AUD` for `AUTH_AUDIENCE`. */
const ABBREVIATION_MIN_LETTERS = 3;
/** A name from outside is cut to this length. */
const NAME_MAX_CHARACTERS = 60;
/** Another program would hardly have a name that begins so. */
const OUR_PREFIXES = ['ACCOUNT_', 'ADMIN_', 'AUTH_', 'BACKUP_', 'CONSOLE_', 'CORS_'].concat(
  'DATABASE_',
  'OPS_',
);

/** The slips, each with the setting that was probably meant. Never a value. */
export function misspelledNames(environment: Environment): readonly MisspelledName[] {
  return candidatesIn(environment).flatMap((name) => {
    const meant = meantBy(name, environment);
    if (meant === undefined) return [];
    return [hintOn(name, `${meant} is probably meant`)];
  });
}

/** Names that begin like settings and are near to none. They may be of another program. */
export function strangersAmongSettings(environment: Environment): readonly MisspelledName[] {
  return candidatesIn(environment).flatMap((name) => {
    const prefix = OUR_PREFIXES.find((known) => name.startsWith(known));
    if (prefix === undefined || meantBy(name, environment) !== undefined) return [];
    const known = SETTING_NAMES.filter((setting) => setting.startsWith(prefix)).join(', ');
    return [hintOn(name, `those that begin with ${prefix} are ${known}`)];
  });
}

function hintOn(name: string, remedy: string): MisspelledName {
  const cut = name.slice(0, NAME_MAX_CHARACTERS);
  return { event: 'setting_unknown', hint: `${cut} is no setting and does nothing; ${remedy}` };
}

function candidatesIn(environment: Environment): string[] {
  const known: readonly string[] = SETTING_NAMES;
  return Object.keys(environment)
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .filter((name) => environment[name] !== '' && !isAddress(environment[name]))
    .sort();
}

/** On Workers a binding is no text. */
function isAddress(value: unknown): boolean {
  return typeof value === 'string' && ADDRESS_OF_OTHERS.test(value);
}

function meantBy(name: string, environment: Environment): string | undefined {
  const given = name.slice(0, NAME_MAX_CHARACTERS).toUpperCase();
  const slips = SETTING_NAMES.filter((setting) => isSlipOf(given, setting));
  const related = SETTING_NAMES.filter((setting) => isRelatedTo(given, setting));
  // Where the setting itself is there, a name that says more or less is of something else,
  // such as DATABASE_URL_TEST.
  if (related.some((setting) => environment[setting])) related.length = 0;
  const [first] = [...slips, ...related].sort(
    (a, b) => distance(lettersOf(given), lettersOf(a)) - distance(lettersOf(given), lettersOf(b)),
  );
  return first;
}

/** Whether the name is the setting with letters or underscores lost, doubled, exchanged or mistaken. */
function isSlipOf(name: string, setting: string): boolean {
  const [letters, wanted] = [lettersOf(name), lettersOf(setting)];
  if (letters === wanted) return true;
  if (wanted.length <= ONE_SLIP_MAX_LETTERS && letters[0] !== wanted[0]) return false;
  if (wanted.length <= SHORT_NAME_LETTERS) {
    return distance(letters, wanted) === 1 && isMixed(letters, wanted);
  }
  const [words, wantedWords] = [name.split('_'), setting.split('_')];
  if (words.length !== wantedWords.length) return isNear(letters, wanted);
  return isNear(letters, wanted) && words.every((word, i) => isNear(word, wantedWords[i] ?? ''));
}

/**
 * Whether the name says more than the setting (`REPLICATION_MODE`, `BACKUP_DIRECTORY`), or
 * leaves words of it out (`ADMIN_KEY`, `CORS_ORIGIN`).
 */
function isRelatedTo(name: string, setting: string): boolean {
  const wanted = lettersOf(setting);
  if (wanted.length <= SHORT_NAME_LETTERS) return false;
  if (lettersOf(name).startsWith(wanted)) return true;
  const [first, ...more] = name.split('_');
  const [wantedFirst, ...wantedMore] = setting.split('_');
  if (first !== wantedFirst || more.length === 0) return false;
  let from = 0;
  return more.every((word) => {
    const at = wantedMore.findIndex((other, i) => i >= from && isShortFor(word, other));
    from = at + 1;
    return at >= 0;
  });
}

function isShortFor(word: string, wanted: string): boolean {
  return (
    isNear(word, wanted) || (word.length >= ABBREVIATION_MIN_LETTERS && wanted.startsWith(word))
  );
}

/** Whether few slips of the hand make one of the other. */
export function isNear(text: string, wanted: string): boolean {
  const slips = distance(text, wanted);
  if (slips === 0) return true;
  if (wanted.length <= SHORT_WORD_LETTERS) {
    return (
      slips === 1 &&
      (text[0] === wanted[0] || text.length !== wanted.length || isMixed(text, wanted))
    );
  }
  if (wanted.length <= ONE_SLIP_MAX_LETTERS) return slips === 1;
  // APPLICATION is two slips from REPLICATION; nobody mistakes the first letter and one more.
  return slips === 1 || (slips === 2 && text[0] === wanted[0]);
}

/** Whether both have the same letters. */
function isMixed(text: string, wanted: string): boolean {
  const sorted = (letters: string) => [...letters].sort().join();
  return sorted(text) === sorted(wanted);
}

function lettersOf(name: string): string {
  return name.replaceAll('_', '');
}

/**
 * How many letters must be put in, left out, replaced or exchanged with their neighbour to
 * make one text of the other (Damerau-Levenshtein, each place changed once).
 */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let current = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const [a, b] = [from[row - 1], to[column - 1]];
      const isExchanged = row > 1 && column > 1 && a === to[column - 2] && from[row - 2] === b;
      next.push(
        Math.min(
          at(current, column) + 1,
          at(next, column - 1) + 1,
          at(current, column - 1) + (a === b ? 0 : 1),
          isExchanged ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, current] = [current, next];
  }
  return at(current, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
