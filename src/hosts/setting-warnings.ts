// What an environment holds besides usable settings: names that are almost
// settings, and values that are dangerous. Never the value of a secret.

import { misspelledNames, strangersAmongSettings } from './settings/misspelled-names.js';
import type { Environment } from './settings.js';

export interface SettingWarning {
  readonly event: string;
  readonly hint: string;
}

/** The warnings about an environment that settings were read from. */
export function environmentWarnings(environment: Environment): readonly SettingWarning[] {
  return [...misspelledNames(environment), ...otherWarnings(environment)];
}

/** Those that may be as they are meant. */
export function otherWarnings(environment: Environment): readonly SettingWarning[] {
  return [...strangersAmongSettings(environment), ...dangers(environment)];
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
