// What the options of these commands hold.

import { UsageError } from '../program/ending.js';

export function required(name: string, wanted: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`${name} is missing; it must be ${wanted}`);
}

export function subject(value: string | undefined): string {
  return required('--account', "the account's subject", value);
}
