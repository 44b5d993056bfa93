// The words of the command line of a move: from where, to where, what.

import { required } from '../data/option-values.js';
import { plainUrl } from '../data/target.js';
import { expectNoPositionals, readArguments } from '../program/arguments.js';
import { UsageError } from '../program/ending.js';
import { MOVE_HELP } from './help.js';

/** Paths are as they were typed. */
export type MoveCommand = {
  readonly file: string;
  readonly url: string;
  /** Undefined: all. */
  readonly account: string | undefined;
  /** Where settings are, besides the environment. */
  readonly settingsFiles: readonly string[];
} & (
  | { readonly kind: 'in' }
  | {
      readonly kind: 'back';
      /** Where the list of new ids is written. Undefined: beside the file. */
      readonly renumbered: string | undefined;
    }
);

const EXAMPLE = 'https://service-management-maintenance.YOUR-SUBDOMAIN.workers.dev';

const MOVE = {
  name: 'move',
  help: MOVE_HELP,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    account: { type: 'string' },
    renumbered: { type: 'string' },
  },
} as const;

/** The move that is meant, or what shall be printed. Throws a `UsageError`: one sentence. */
export function parseMove(args: readonly string[]): MoveCommand | 'help' | 'version' {
  const { asked, values, positionals, settingsFiles } = readArguments(MOVE, args);
  if (asked !== undefined) return asked;
  if (positionals[0] === 'help') return 'help';
  expectNoPositionals(MOVE, positionals);
  const from = required('--from', 'a database file or an address', values.from);
  const to = required('--to', 'an address or a new database file', values.to);
  if (isAddress(from) === isAddress(to)) {
    const both = isAddress(from) ? 'both addresses' : 'both files';
    throw new UsageError(
      `--from and --to are ${both}; one of them must be the address of the maintenance Worker, the other one a file`,
    );
  }
  const { account, renumbered } = values;
  if (account === '') throw new UsageError('--account is empty; it must be a subject');
  if (isAddress(from)) {
    const url = plainUrl('--from', from, EXAMPLE);
    return { kind: 'back', url, file: to, account, renumbered, settingsFiles };
  }
  if (renumbered !== undefined) {
    throw new UsageError('--renumbered is for a move into a file; on the way in no id changes');
  }
  return { kind: 'in', file: from, url: plainUrl('--to', to, EXAMPLE), account, settingsFiles };
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}
