// What an environment holds besides usable settings: names that are almost
// settings, and values that are dangerous. Never the value of a secret.

import { SETTING_NAMES } from './settings/setting-names.js';
import type { Environment } from './settings.js';

export interface SettingWarning {
  readonly event: string;
  readonly hint: string;
}

const OUR_PREFIXES = [
  'ACCOUNT_',
  'ADMIN_',
  'AUTH_',
  'BACKUP_',
  'CONSOLE_',
  'CORS_',
  'DATABASE_',
  'OBJECTS_',
  'OPS_',
];
/** Of the settings those that another program would not have under the same name. */
const KNOWN_SETTINGS: readonly string[] = SETTING_NAMES.filter(isOurs);

/** A name from outside is cut to this length in the log. */
const NAME_MAX_CHARACTERS = 60;

/** The warnings about an environment that settings were read from. */
export function environmentWarnings(environment: Environment): readonly SettingWarning[] {
  return [...unknownNames(environment), ...dangers(environment)];
}

function unknownNames(environment: Environment): SettingWarning[] {
  return Object.keys(environment)
    .filter(isOurs)
    .filter((name) => !KNOWN_SETTINGS.includes(name) && environment[name] !== '')
    .map((name) => ({
      event: 'setting_unknown',
      hint: `${name.slice(0, NAME_MAX_CHARACTERS)} is no setting and does nothing; the nearest one is ${nearest(name)}`,
    }));
}

function isOurs(name: string): boolean {
  return OUR_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function dangers(environment: Environment): SettingWarning[] {
  const warnings: SettingWarning[] = [];
  if (environment['AUTH_SUBJECT_FIELD'] === 'email') {
    warnings.push({
      event: 'subject_is_an_address',
      hint: 'AUTH_SUBJECT_FIELD is "email": an address can be changed, given to somebody else or be unverified, and the records go with it; use a field that never changes, such as sub',
    });
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    warnings.push({
      event: 'certificates_not_checked',
      hint: 'NODE_TLS_REJECT_UNAUTHORIZED is 0: anybody on the way can answer for the identity provider and read every token; unset it, and name your own authority in NODE_EXTRA_CA_CERTS',
    });
  }
  return warnings;
}

function nearest(name: string): string {
  const byDistance = KNOWN_SETTINGS.map((known) => ({ known, distance: distance(name, known) }));
  byDistance.sort((a, b) => a.distance - b.distance);
  return byDistance[0]?.known ?? '';
}

/** How many characters must be put in, left out or replaced to make one text of the other (Levenshtein). */
function distance(from: string, to: string): number {
  const text = from.slice(0, NAME_MAX_CHARACTERS);
  let before = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= text.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = text[row - 1] === to[column - 1];
      current.push(
        Math.min(
          (before[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (before[column - 1] ?? 0) + (isSame ? 0 : 1),
        ),
      );
    }
    before = current;
  }
  return before[to.length] ?? 0;
}
