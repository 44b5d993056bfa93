// What the options of these commands hold.

import { UsageError } from '../program/ending.js';

export function required(name: string, wanted: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`${name} is missing; it must be ${wanted}`);
}

/** Refuses `.` and `..`: no path can name these accounts. */
export function subject(value: string | undefined): string {
  const given = required('--account', "the account's subject", value);
  if (given !== '.' && given !== '..') return given;
  throw new UsageError(`--account is ${JSON.stringify(given)}; it must be a subject`);
}
