// `manage move`: accounts from a database file to Workers, and back into a new file.

import { dirname } from 'node:path';
import { cameBack } from '../../storage/erasures/came-back.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { FileAccounts } from '../../storage/move/file-accounts.js';
import { Service } from '../data/service.js';
import { adminKeyIn, plainUrl, serviceKeyIn } from '../data/target.js';
import type { Waits } from '../data/waiting.js';
import { AdminWorker } from '../move/admin-worker.js';
import { moveBack } from '../move/move-back.js';
import { type MovedIn, moveIn } from '../move/move-in.js';
import type { OtherPlace } from '../move/other-place.js';
import { differingAccounts } from '../move/running-service.js';
import { flag, required, text } from '../program/arguments.js';
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
  /** Whether accounts that were erased are moved, too. */
  readonly bringsBack: boolean;
  /** The address of the service that made the file. Undefined: it is not asked. */
  readonly running: string | undefined;
}

const EXAMPLE = 'https://service-management-admin.YOUR-SUBDOMAIN.workers.dev';
const RUNNING = 'http://127.0.0.1:8080/api/v1';
/** Accounts that a report names. */
const NAMED_MAX_ACCOUNTS = 20;

const OLDER =
  'the running service has other records of it than the file; make a new backup, and move that';
const LATE = 'has changed in the running service during the move; make a new backup';
const NOT_COMPARED =
  'not compared with a running service: what it took after the backup is not there (--check-against URL)';

const OPTIONS = {
  from: text(
    'FILE | URL',
    'a backup, or the database of a stopped service; or the\naddress of the admin Worker',
  ),
  to: text('URL | FILE', 'its address; or a new database file'),
  'check-against': text(
    'URL',
    'the running service of the file: what changed there\nsince is said, and stays',
  ),
  'bring-back': flag('moves accounts that were erased since the backup, too'),
  account: text('SUBJECT', 'this account alone; all without it'),
  renumbered: text(
    'FILE',
    'into a file: where the list of new ids is written, as\nCSV (NAME-renumbered.csv beside the new file)',
  ),
};

type Values = {
  readonly [name in keyof typeof OPTIONS]?:
    | ((typeof OPTIONS)[name]['type'] extends 'boolean' ? boolean : string)
    | undefined;
};

export function moveCommand(waits?: Waits): Command {
  return commandOf({
    name: 'manage move',
    usage: '--from FILE --to URL  |  --from URL --to FILE',
    about: `Moves accounts between one machine and Cloudflare Workers. Every record keeps
its id, its times and its place, and each account's digest is compared. Run the
same command again after whatever stopped it: it goes on.
Nothing is ever overwritten. Ends with 1 if not all is done.`,
    options: OPTIONS,
    settings: [
      ...KEY_SETTINGS,
      ['SERVICE_ADMIN_API_KEY', 'its key, if another (or SERVICE_ADMIN_API_KEY_FILE)'],
      ['ERASURE_LEDGER', 'or BACKUP_DIR, as the service has it: who was erased'],
    ],
    ending: 'orderly',
    async run({ values }, dependencies) {
      const move = meantBy(values);
      warnOfSlips(dependencies);
      const place = otherPlace(move.url, dependencies, waits);
      try {
        if (move.isBack) return await runBack(move, place, dependencies);
        return await runIn(move, place, dependencies, waits);
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        throw new Interrupted(
          'stopped; what has arrived stays: the same command goes on from there',
        );
      } finally {
        await place.close();
      }
    },
  });
}

/** The move that the options mean. Throws a `UsageError`: one sentence. */
function meantBy(values: Values): Move {
  const { from: source, to: target, account, renumbered } = values;
  const { 'check-against': against, 'bring-back': bringsBack = false } = values;
  const from = required('--from', 'a database file or an address', source);
  const to = required('--to', 'an address or a new database file', target);
  const isBack = isAddress(from);
  if (isBack === isAddress(to)) {
    throw new UsageError(
      `--from and --to are ${isBack ? 'both addresses' : 'both files'}; one of them must be the address of the admin Worker, the other one a file`,
    );
  }
  if (account === '') throw new UsageError('--account is empty; it must be a subject');
  const running = against === undefined ? undefined : plainUrl('--check-against', against, RUNNING);
  const rest = { account, renumbered, bringsBack, running };
  if (isBack) {
    if (running !== undefined || bringsBack) {
      throw new UsageError('--check-against and --bring-back are for a move out of a file');
    }
    return { isBack, url: addressOf('--from', from), file: to, ...rest };
  }
  if (renumbered !== undefined) {
    throw new UsageError('--renumbered is for a move into a file; on the way in no id changes');
  }
  return { isBack, url: addressOf('--to', to), file: from, ...rest };
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

function addressOf(name: string, text: string): string {
  return plainUrl(name, text, EXAMPLE);
}

function otherPlace(
  url: string,
  dependencies: CommandDependencies,
  waits: Waits | undefined,
): OtherPlace {
  const adminKey = adminKeyIn(dependencies.environment);
  return new AdminWorker({ url, adminKey }, dependencies, waits);
}

async function runIn(
  move: Move,
  place: OtherPlace,
  dependencies: CommandDependencies,
  waits: Waits | undefined,
): Promise<number> {
  const { file, account, running } = move;
  const begun = dependencies.now();
  const path = pathOf(dependencies, file);
  const live =
    running === undefined
      ? undefined
      : new Service(
          { baseUrl: running, adminKey: serviceKeyIn(dependencies.environment) },
          dependencies,
          waits,
        );
  const source = await FileAccounts.open(path);
  try {
    const withheld = new Map<string, string>();
    if (!move.bringsBack) {
      for (const [owner, erased] of await erasedSince(source, path, dependencies)) {
        withheld.set(owner, `it was erased on ${erased}; --bring-back moves it all the same`);
      }
    }
    const changed = async () =>
      live === undefined ? [] : await differingAccounts(source, account, live);
    for (const owner of await changed()) if (!withheld.has(owner)) withheld.set(owner, OLDER);
    const moved = await moveIn(source, { account, withheld }, place, dependencies);
    // Once more: the console may have written while the records were on their way.
    const late = (await changed()).filter((owner) => !moved.left.has(owner));
    const { accounts, records, events, left } = moved;
    const took = timeOf(records, dependencies.now() - begun);
    dependencies.out(
      `${path}: ${accounts} accounts with ${records} records, and ${events} audit events, are there ${took}\n`,
    );
    const unowned = account === undefined ? source.unowned : 0;
    const lateLines = late.map(
      (owner) => `moved, but ${JSON.stringify(owner)} ${LATE}, ${place.anew}, and move it again`,
    );
    for (const line of remarksOn(moved, lateLines, unowned)) dependencies.out(`  ${line}\n`);
    if (live === undefined) dependencies.out(`  ${NOT_COMPARED}\n`);
    return left.size + late.length === 0 ? EXIT_DONE : EXIT_FAILED;
  } finally {
    source.close();
  }
}

/** The file's accounts that the ledger of erasures has, each with the time of its erasure. */
async function erasedSince(
  file: FileAccounts,
  path: string,
  { environment }: CommandDependencies,
): Promise<Map<string, string>> {
  const ledger = await readLedger(
    ledgerPath(environment, environment['BACKUP_DIR'] || dirname(path)) ?? '',
  );
  const found = ledger === undefined ? [] : cameBack(ledger, file.ages());
  return new Map([...found].map(({ subject, erased }) => [subject, erased]));
}

function remarksOn(
  { wereThere, left, unseen }: MovedIn,
  lateLines: readonly string[],
  unowned: number,
): string[] {
  const lines = [
    ...[...left].map(([owner, reason]) => `not moved: ${JSON.stringify(owner)}: ${reason}`),
    ...lateLines,
  ];
  const more = lines.splice(NAMED_MAX_ACCOUNTS).length;
  if (more > 0) lines.push(`not moved, or changed since: ${more} more accounts`);
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
  { file, account, renumbered }: Move,
  place: OtherPlace,
  dependencies: CommandDependencies,
): Promise<number> {
  const begun = dependencies.now();
  const path = pathOf(dependencies, file);
  const newIds = renumbered === undefined ? undefined : pathOf(dependencies, renumbered);
  const moved = await moveBack({ path, account, newIds }, place, dependencies);
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
