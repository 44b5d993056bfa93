// Reads the options of a command line, and has the messages for wrong ones.

import { parseArgs } from 'node:util';
import { UsageError } from './failures.js';

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** Keeps the part of Node's message that names the option. Its hint on positional arguments does not help here. */
export function parsed<T extends Options>(command: string, args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const sentence = message.split(/\.? To specify|\n/, 1)[0]?.replace(/\.$/, '') ?? message;
    throw new UsageError(`${sentence} (${command} --help says what it takes)`);
  }
}

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
