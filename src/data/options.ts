// Options as they stand on the command line of a program, and what is said of wrong ones.

import { parseArgs } from 'node:util';
import { UsageError } from './failures.js';

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** Node's own messages name the option; its hints on positionals are of no use here. */
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

/** What no path can name is no account. */
export function subject(value: string | undefined): string {
  const given = required('--account', "the account's subject", value);
  if (given !== '.' && given !== '..') return given;
  throw new UsageError(`--account is ${JSON.stringify(given)}; it must be a subject`);
}
