// What the commands have in common that work over a running service: their settings, and the
// values of their options.

import {
  COLLECTION_NAMES,
  type CollectionName,
  isCollectionName,
} from '../../core/domain/collection-name.js';
import type { DecimalMark } from '../data/number-text.js';
import { Service } from '../data/service.js';
import { readTarget } from '../data/target.js';
import type { Waits } from '../data/waiting.js';
import { required } from '../program/arguments.js';
import { type CommandDependencies, warnOfSlips } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';
import type { Row } from '../program/help.js';

export const KEY_SETTINGS: readonly Row[] = [
  ['ADMIN_API_KEY', 'the admin key, or ADMIN_API_KEY_FILE: a file with it'],
];

export const SERVICE_SETTINGS: readonly Row[] = [
  ['SERVICE_URL', 'the service (http://127.0.0.1:8080/api/v1)'],
  ...KEY_SETTINGS,
];

const DELIMITER_NAMES: Readonly<Record<string, string>> = { tab: '\t', '\\t': '\t' };

/** The service that the settings name, made when it is first asked for: a dry run needs none. */
export function serviceOf(dependencies: CommandDependencies, waits?: Waits): () => Service {
  warnOfSlips(dependencies);
  let only: Service | undefined;
  return () => {
    only ??= new Service(readTarget(dependencies), dependencies, waits);
    return only;
  };
}

export function subject(value: string | undefined): string {
  return required('--account', "the account's subject", value);
}

export function collection(option: string, name: string): CollectionName {
  if (isCollectionName(name)) return name;
  throw new UsageError(
    `${option} is ${JSON.stringify(name)}; it must be one of ${COLLECTION_NAMES.join(', ')}`,
  );
}

export function delimiter(given: string): string {
  const mark = DELIMITER_NAMES[given] ?? given;
  if (mark.length === 1 && !/["\r\n]/.test(mark)) return mark;
  throw new UsageError(`--delimiter is ${JSON.stringify(given)}; it must be one character, or tab`);
}

export function decimal(given: string | undefined): DecimalMark | undefined {
  return oneOf('--decimal', [',', '.'], given);
}

/** Undefined where the option is not given. */
export function oneOf<const T extends string>(
  option: string,
  values: readonly T[],
  given: string | undefined,
): T | undefined {
  const value = values.find((known) => known === given);
  if (given === undefined || value !== undefined) return value;
  throw new UsageError(`${option} is ${JSON.stringify(given)}; it must be ${values.join(' or ')}`);
}
