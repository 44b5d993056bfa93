// Warnings about likely mistakes: settings that admit everyone or no one, and misspelled names.
// Never with the value of a secret.

import leven from 'leven';
import { ADMIN_KEY_MIN_CHARACTERS } from '../../core/domain/limits.js';
import type { Settings } from '../settings.js';
import { type Environment, SETTINGS } from './schema.js';

/** Every setting of the project's programs. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** Each warning as a log event and its hint. */
export function settingWarnings({ signIn, adminKey = [] }: Settings, environment: Environment) {
  const isOpen = signIn?.issuer !== undefined && signIn.audiences.length === 0;
  const isShort = [adminKey].flat().some(({ length }) => length < ADMIN_KEY_MIN_CHARACTERS);
  const hints: Readonly<Record<string, string | false>> = {
    identity_provider_not_configured:
      signIn === undefined && 'every bearer token gets 503; set AUTH_USERINFO_URL or AUTH_ISSUER',
    identity_audience_unchecked:
      isOpen &&
      "tokens for any application of the provider are accepted; set AUTH_AUDIENCE to this service's own",
    admin_key_too_short:
      isShort &&
      `an admin key of fewer than ${ADMIN_KEY_MIN_CHARACTERS} characters is ignored; without a longer one the administration API is disabled`,
    subject_is_an_address:
      signIn?.subjectField === 'email' &&
      'AUTH_SUBJECT_FIELD is "email"; an address can change, be reassigned or be unverified, and its new holder gets the records; use a field that never changes, such as sub',
  };
  const present = Object.entries(hints).flatMap(([event, hint]) => (hint ? [{ event, hint }] : []));
  return [...misspelledNames(environment), ...present];
}

/** `HOST` and `PORT` resemble other programs' variables. */
const LETTERS_MIN = 5;
const TYPOS_MAX = 2;

/** Variables whose name is one or two typos away from a setting's. */
export function misspelledNames(environment: Environment) {
  const unknown = Object.keys(environment).filter(
    (name) => !SETTING_NAMES.includes(name) && environment[name] !== '' && !/^npm_/i.test(name),
  );
  return unknown.sort().flatMap((name) => {
    const typed = name.toUpperCase();
    const meant = SETTING_NAMES.find(
      (known) =>
        known.length >= LETTERS_MIN && known[0] === typed[0] && leven(typed, known) <= TYPOS_MAX,
    );
    const hint = `unknown setting ${name}; ignored: did you mean ${meant}?`;
    return meant === undefined ? [] : [{ event: 'setting_unknown', hint }];
  });
}
