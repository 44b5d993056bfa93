// Warns of likely mistakes: settings that let in everyone or no one, and names that are
// almost settings. As log events, never with the value of a secret.

import leven from 'leven';
import { ADMIN_KEY_MIN_CHARACTERS } from '../../core/domain/limits.js';
import type { Settings } from '../settings.js';
import { type Environment, SETTINGS } from './schema.js';

/** Every setting of the project's programs. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** All warnings about settings and the environment that they were read from. */
export function settingWarnings({ signIn, adminKey = [] }: Settings, environment: Environment) {
  const isOpen = signIn?.issuer !== undefined && signIn.audiences.length === 0;
  const isShort = [adminKey].flat().some(({ length }) => length < ADMIN_KEY_MIN_CHARACTERS);
  const hints: Readonly<Record<string, string | false>> = {
    identity_provider_not_configured:
      signIn === undefined && 'every bearer token gets 503; set AUTH_USERINFO_URL or AUTH_ISSUER',
    identity_audience_unchecked:
      isOpen &&
      "tokens of any application of the provider are let in; set AUTH_AUDIENCE to this service's own",
    admin_key_too_short:
      isShort &&
      `an admin key of fewer than ${ADMIN_KEY_MIN_CHARACTERS} characters is ignored; without another one the administration API stays disabled`,
    subject_is_an_address:
      signIn?.subjectField === 'email' &&
      'AUTH_SUBJECT_FIELD is "email": an address can be changed, reassigned or unverified, and the records go with it; use a field that never changes, such as sub',
  };
  const present = Object.entries(hints).flatMap(([event, hint]) => (hint ? [{ event, hint }] : []));
  return [...misspelledNames(environment), ...present];
}

/** `HOST` and `PORT` are near to names of other programs. */
const LETTERS_MIN = 5;
const SLIPS_MAX = 2;

/** Names that are one or two slips from a setting, each with the setting that was probably meant. */
export function misspelledNames(environment: Environment) {
  const unknown = Object.keys(environment).filter(
    (name) => !SETTING_NAMES.includes(name) && environment[name] !== '' && !/^npm_/i.test(name),
  );
  return unknown.sort().flatMap((name) => {
    const typed = name.toUpperCase();
    const meant = SETTING_NAMES.find(
      (known) =>
        known.length >= LETTERS_MIN && known[0] === typed[0] && leven(typed, known) <= SLIPS_MAX,
    );
    const hint = `unknown setting ${name}; ignored: did you mean ${meant}?`;
    return meant === undefined ? [] : [{ event: 'setting_unknown', hint }];
  });
}
