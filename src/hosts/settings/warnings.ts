// What an environment holds besides usable settings: names that are almost settings, and
// dangerous values. Never the value of a secret.

import leven from 'leven';
import { type Environment, SETTINGS } from './schema.js';

export interface SettingWarning {
  readonly event: string;
  readonly hint: string;
}

/** Every setting of the project's programs. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS.shape);

/** Names this short (`HOST`, `PORT`) are near to those of other programs. */
const SHORT_NAME_LETTERS = 4;
const SLIPS_MAX = 2;
/** A name from outside is cut to this length. */
const NAME_MAX_CHARACTERS = 60;

/** The warnings about an environment that settings were read from. */
export function environmentWarnings(environment: Environment): readonly SettingWarning[] {
  return [...misspelledNames(environment), ...otherWarnings(environment)];
}

/** Names that are one or two slips from a setting, each with the setting that was probably meant. */
export function misspelledNames(environment: Environment): readonly SettingWarning[] {
  const candidates = Object.keys(environment).filter(
    (name) => !SETTING_NAMES.includes(name) && environment[name] !== '' && !/^npm_/i.test(name),
  );
  return candidates.sort().flatMap((name) => {
    const setting = nearest(name.slice(0, NAME_MAX_CHARACTERS).toUpperCase(), SETTING_NAMES);
    if (setting === undefined) return [];
    const given = name.slice(0, NAME_MAX_CHARACTERS);
    const hint = `unknown setting ${given}; ignored: did you mean ${setting}?`;
    return [{ event: 'setting_unknown', hint }];
  });
}

/** The one of the names that is probably meant; undefined if none is near. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const near = names
    .filter((name) => name.length > SHORT_NAME_LETTERS && name[0] === given[0])
    .map((name) => ({ name, slips: leven(given, name, { maxDistance: SLIPS_MAX + 1 }) }))
    .filter(({ slips }) => slips <= SLIPS_MAX);
  return near.sort((a, b) => a.slips - b.slips)[0]?.name;
}

/** What may be intended. */
export function otherWarnings(environment: Environment): readonly SettingWarning[] {
  const warnings: SettingWarning[] = [];
  if (environment['AUTH_SUBJECT_FIELD'] === 'email') {
    warnings.push({
      event: 'subject_is_an_address',
      hint: 'AUTH_SUBJECT_FIELD is "email": an address can be changed, reassigned or unverified, and the records go with it; use a field that never changes, such as sub',
    });
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    warnings.push({
      event: 'certificates_not_checked',
      hint: 'NODE_TLS_REJECT_UNAUTHORIZED is 0: anyone on the network path can impersonate the identity provider and read every token; unset it, and name your own authority in NODE_EXTRA_CA_CERTS',
    });
  }
  return warnings;
}
