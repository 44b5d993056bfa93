// A move from its words to its exit code.

import {
  type CommandDependencies,
  type DataCommandDependencies,
  pathOf,
  withSettings,
} from '../data/command-dependencies.js';
import { Interrupted } from '../data/failures.js';
import { adminKeyIn } from '../data/target.js';
import type { Waits } from '../data/waiting.js';
import { EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, exitCodeOf } from '../program/ending.js';
import { FileAccounts } from '../storage/move/file-accounts.js';
import { type MoveCommand, parseMove } from './command-line.js';
import { MOVE_HELP } from './help.js';
import { MaintenanceWorker } from './maintenance-worker.js';
import { moveBack } from './move-back.js';
import { type MovedIn, moveIn } from './move-in.js';

/** Accounts that a report names. */
const NAMED_MAX_ACCOUNTS = 20;

/** Resolves with the exit code; whatever goes wrong is one sentence. */
export async function runMove(
  args: readonly string[],
  given: DataCommandDependencies,
  waits?: Waits,
): Promise<number> {
  try {
    const command = parseMove(args);
    if (command === 'help' || command === 'version') {
      given.out(command === 'help' ? MOVE_HELP : `${given.version}\n`);
      return EXIT_DONE;
    }
    const dependencies = withSettings(given, command.settingsFiles);
    const adminKey = adminKeyIn(dependencies.environment);
    const worker = new MaintenanceWorker({ url: command.url, adminKey }, dependencies, waits);
    return command.kind === 'in'
      ? await runIn(command, worker, dependencies)
      : await runBack(command, worker, dependencies);
  } catch (error) {
    if (error instanceof Interrupted) {
      given.err('stopped; what has arrived stays: the same command goes on from there\n');
      return EXIT_INTERRUPTED;
    }
    given.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodeOf(error);
  }
}

async function runIn(
  { file, account }: MoveCommand & { kind: 'in' },
  worker: MaintenanceWorker,
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
  { url, file, account, renumbered }: MoveCommand & { kind: 'back' },
  worker: MaintenanceWorker,
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
