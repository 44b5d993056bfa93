// What the commands over a running service share: their settings, and values of their options.

import { Service } from '../data/service.js';
import { readTarget } from '../data/target.js';
import { required } from '../program/command.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';

export const SERVICE_SETTINGS =
  'SERVICE_URL (http://127.0.0.1:8080/api/v1),\nADMIN_API_KEY or ADMIN_API_KEY_FILE';

/** The service that the settings name. */
export function serviceOf(dependencies: CommandDependencies): Service {
  return new Service(readTarget(dependencies), dependencies);
}

export function subject(value: string | undefined): string {
  return required('--account', "the account's subject", value);
}

export function delimiter(given: string): string {
  const mark = given === 'tab' || given === '\\t' ? '\t' : given;
  if (mark.length === 1 && !/["\r\n]/.test(mark)) return mark;
  throw new UsageError(`--delimiter is ${JSON.stringify(given)}; it must be one character, or tab`);
}
