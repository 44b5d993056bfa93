// `manage move`: accounts from a database file to Workers, and back into a new file.

import { FileAccounts } from '../../storage/move/file-accounts.js';
import { adminKeyIn, plainUrl } from '../data/target.js';
import type { Waits } from '../data/waiting.js';
import { AdminWorker } from '../move/admin-worker.js';
import { moveBack } from '../move/move-back.js';
import { type MovedIn, moveIn } from '../move/move-in.js';
import { required, text } from '../program/arguments.js';
import { type Command, commandOf } from '../program/command.js';
import { type CommandDependencies, pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, Interrupted, UsageError } from '../program/ending.js';
import { KEY_SETTINGS } from './service-options.js';

/** Paths are as they were typed. */
interface Move {
  readonly isBack: boolean;
  readonly file: string;
  readonly url: string;
  /** Undefined: all. */
  readonly account: string | undefined;
  /** Where the list of new ids is written. Undefined: beside the file. */
  readonly renumbered: string | undefined;
}

const EXAMPLE = 'https://service-management-admin.YOUR-SUBDOMAIN.workers.dev';
/** Accounts that a report names. */
const NAMED_MAX_ACCOUNTS = 20;

const OPTIONS = {
  from: text(
    'FILE | URL',
    'a backup, or the database of a stopped service; or the\naddress of the admin Worker',
  ),
  to: text('URL | FILE', 'its address; or a new database file'),
  account: text('SUBJECT', 'this account alone; all without it'),
  renumbered: text(
    'FILE',
    'into a file: where the list of new ids is written, as\nCSV (NAME-renumbered.csv beside the new file)',
  ),
};

type Values = { readonly [name in keyof typeof OPTIONS]?: string | undefined };

export function moveCommand(waits?: Waits): Command {
  return commandOf({
    name: 'manage move',
    usage: '--from FILE --to URL  |  --from URL --to FILE',
    about: `Moves accounts between one machine and Cloudflare Workers, through the
admin Worker. Every record keeps its id, its times and its place, and each
account's digest is compared. Run the same command again after whatever stopped
it: it goes on. Nothing is ever overwritten. Ends with 1 if not all is done.`,
    options: OPTIONS,
    settings: KEY_SETTINGS,
    ending: 'orderly',
    async run({ values }, dependencies) {
      const move = meantBy(values);
      warnOfSlips(dependencies);
      const adminKey = adminKeyIn(dependencies.environment);
      const worker = new AdminWorker({ url: move.url, adminKey }, dependencies, waits);
      try {
        return await (move.isBack ? runBack : runIn)(move, worker, dependencies);
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        throw new Interrupted(
          'stopped; what has arrived stays: the same command goes on from there',
        );
      }
    },
  });
}

/** The move that the options mean. Throws a `UsageError`: one sentence. */
function meantBy({ from: source, to: target, account, renumbered }: Values): Move {
  const from = required('--from', 'a database file or an address', source);
  const to = required('--to', 'an address or a new database file', target);
  const isBack = isAddress(from);
  if (isBack === isAddress(to)) {
    throw new UsageError(
      `--from and --to are ${isBack ? 'both addresses' : 'both files'}; one of them must be the address of the admin Worker, the other one a file`,
    );
  }
  if (account === '') throw new UsageError('--account is empty; it must be a subject');
  if (isBack) {
    return { isBack, url: plainUrl('--from', from, EXAMPLE), file: to, account, renumbered };
  }
  if (renumbered !== undefined) {
    throw new UsageError('--renumbered is for a move into a file; on the way in no id changes');
  }
  return { isBack, url: plainUrl('--to', to, EXAMPLE), file: from, account, renumbered };
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

async function runIn(
  { file, account }: Move,
  worker: AdminWorker,
  dependencies: CommandDependencies,
): Promise<number> {
  const begun = dependencies.now();
  const path = pathOf(dependencies, file);
  const source = await FileAccounts.open(path);
  try {
    const moved = await moveIn(source, account, worker, dependencies);
    const { accounts, records, events } = moved;
    const took = timeOf(records, dependencies.now() - begun);
    dependencies.out(
      `${path}: ${accounts} accounts with ${records} records, and ${events} audit events, are there ${took}\n`,
    );
    for (const line of remarksOn(moved, account === undefined ? source.unowned : 0)) {
      dependencies.out(`  ${line}\n`);
    }
    return moved.left.size === 0 ? EXIT_DONE : EXIT_FAILED;
  } finally {
    source.close();
  }
}

function remarksOn({ wereThere, left, unseen }: MovedIn, unowned: number): string[] {
  const lines = [...left]
    .slice(0, NAMED_MAX_ACCOUNTS)
    .map(([owner, reason]) => `not moved: ${JSON.stringify(owner)}: ${reason}`);
  if (left.size > lines.length) lines.push(`not moved: ${left.size - lines.length} more accounts`);
  if (wereThere > 0) lines.push(`${wereThere} of the records were there before this run`);
  if (unowned > 0) lines.push(`${unowned} records without an owner stay in the file`);
  if (unseen > 0) {
    lines.push(
      `the operator's views do not show ${unseen} of the accounts yet; they will, look again`,
    );
  }
  return lines;
}

async function runBack(
  { url, file, account, renumbered }: Move,
  worker: AdminWorker,
  dependencies: CommandDependencies,
): Promise<number> {
  const begun = dependencies.now();
  const path = pathOf(dependencies, file);
  const newIds = renumbered === undefined ? undefined : pathOf(dependencies, renumbered);
  const moved = await moveBack({ path, url, account, newIds }, worker, dependencies);
  const { accounts, records, events } = moved;
  const took = timeOf(records, dependencies.now() - begun);
  dependencies.out(
    `${path}: ${accounts} accounts with ${records} records, and ${events} audit events ${took}\n`,
  );
  dependencies.out(
    moved.renumbered === 0
      ? '  no id changed\n'
      : `  ${moved.renumbered} records have new ids; the list is ${moved.newIds}\n`,
  );
  return EXIT_DONE;
}

function timeOf(records: number, milliseconds: number): string {
  const seconds = Math.max(milliseconds, 1) / 1000;
  return `(${seconds.toFixed(1)} s, ${Math.round(records / seconds)} records a second)`;
}
