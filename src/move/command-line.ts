// The words of the command line of a move: from where, to where, what.

import { UsageError } from '../data/failures.js';
import { parsed, required } from '../data/options.js';
import { plainUrl } from '../data/target.js';

/** Paths are as they were typed. */
export type MoveCommand =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'in';
      readonly file: string;
      readonly url: string;
      /** Undefined: all. */
      readonly account: string | undefined;
    }
  | {
      readonly kind: 'back';
      readonly url: string;
      readonly file: string;
      readonly account: string | undefined;
      /** Where the list of new ids is written. Undefined: beside the file. */
      readonly renumbered: string | undefined;
    };

const EXAMPLE = 'https://service-management-maintenance.YOUR-SUBDOMAIN.workers.dev';

/** Throws a `UsageError`: one sentence. */
export function parseMove(args: string[]): MoveCommand {
  const { values, positionals } = parsed('move', args, {
    from: { type: 'string' },
    to: { type: 'string' },
    account: { type: 'string' },
    renumbered: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  if (values.help || positionals[0] === 'help') return { kind: 'help' };
  const [first] = positionals;
  if (first !== undefined) {
    throw new UsageError(`move takes options only; ${JSON.stringify(first)} is none`);
  }
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
    return { kind: 'back', url: plainUrl('--from', from, EXAMPLE), file: to, account, renumbered };
  }
  if (renumbered !== undefined) {
    throw new UsageError('--renumbered is for a move into a file; on the way in no id changes');
  }
  return { kind: 'in', file: from, url: plainUrl('--to', to, EXAMPLE), account };
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}
