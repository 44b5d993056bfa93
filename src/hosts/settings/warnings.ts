// What is usable but probably a mistake: settings that leave a door open or shut, and names that are
// almost settings. As log events, never with the value of a secret.

import leven from 'leven';
import { ADMIN_KEY_MIN_CHARACTERS } from '../../core/domain/limits.js';
import type { Settings } from '../settings.js';
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

/** All warnings about settings and the environment that they were read from. */
export function settingWarnings(
  { signIn, adminKey = [] }: Settings,
  environment: Environment,
): readonly SettingWarning[] {
  const isOpen = signIn?.issuer !== undefined && signIn.audiences.length === 0;
  const keys = [adminKey].flat();
  const short = keys.filter(({ length }) => length < ADMIN_KEY_MIN_CHARACTERS).length;
  const effect =
    short === keys.length
      ? 'the administration API stays disabled'
      : 'the short one of the two admin keys is ignored';
  const hints: Readonly<Record<string, string | false>> = {
    identity_provider_not_configured:
      signIn === undefined &&
      'every bearer token is answered 503; set AUTH_USERINFO_URL or AUTH_ISSUER',
    identity_audience_unchecked:
      isOpen &&
      "tokens of any application of the provider are let in; set AUTH_AUDIENCE to this service's own",
    admin_key_too_short:
      short > 0 && `${effect}; an admin key needs ${ADMIN_KEY_MIN_CHARACTERS} characters or more`,
    subject_is_an_address:
      signIn?.subjectField === 'email' &&
      'AUTH_SUBJECT_FIELD is "email": an address can be changed, reassigned or unverified, and the records go with it; use a field that never changes, such as sub',
    certificates_not_checked:
      environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' &&
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: anyone on the network path can impersonate the identity provider and read every token; unset it, and name your own authority in NODE_EXTRA_CA_CERTS',
  };
  const felt = Object.entries(hints).flatMap(([event, hint]) => (hint ? [{ event, hint }] : []));
  return [...misspelledNames(environment), ...felt];
}

/** Names that are one or two slips from a setting, each with the setting that was probably meant. */
export function misspelledNames(environment: Environment): readonly SettingWarning[] {
  const candidates = Object.keys(environment).filter(
    (name) => !SETTING_NAMES.includes(name) && environment[name] !== '' && !/^npm_/i.test(name),
  );
  return candidates.sort().flatMap((name) => {
    const given = name.slice(0, NAME_MAX_CHARACTERS);
    const setting = nearest(given.toUpperCase(), SETTING_NAMES);
    const hint = `unknown setting ${given}; ignored: did you mean ${setting}?`;
    return setting === undefined ? [] : [{ event: 'setting_unknown', hint }];
  });
}

/** The one of the names that is probably meant; undefined if none is near. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const near = names
    .filter((name) => name.length > SHORT_NAME_LETTERS && name[0] === given[0])
    .map((name) => ({ name, slips: leven(given, name, { maxDistance: SLIPS_MAX + 1 }) }))
    .filter(({ slips }) => slips <= SLIPS_MAX);
  return near.sort((a, b) => a.slips - b.slips)[0]?.name;
}
