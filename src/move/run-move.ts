// A move from its words to its exit code.

import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_WRONG_USE,
  Interrupted,
  UsageError,
} from '../data/failures.js';
import { pathOf, type Surroundings } from '../data/surroundings.js';
import { readAdminKey } from '../data/target.js';
import type { Waits } from '../data/waiting.js';
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
  args: string[],
  surroundings: Surroundings,
  waits?: Waits,
): Promise<number> {
  try {
    const command = parseMove(args);
    if (command.kind === 'help') {
      surroundings.out(MOVE_HELP);
      return EXIT_DONE;
    }
    const adminKey = readAdminKey(surroundings.environment);
    const worker = new MaintenanceWorker({ url: command.url, adminKey }, surroundings, waits);
    return command.kind === 'in'
      ? await runIn(command, worker, surroundings)
      : await runBack(command, worker, surroundings);
  } catch (error) {
    if (error instanceof Interrupted) {
      surroundings.err('stopped; what has arrived stays: the same command goes on from there\n');
      return EXIT_INTERRUPTED;
    }
    surroundings.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? EXIT_WRONG_USE : EXIT_FAILED;
  }
}

async function runIn(
  { file, account }: MoveCommand & { kind: 'in' },
  worker: MaintenanceWorker,
  surroundings: Surroundings,
): Promise<number> {
  const begun = surroundings.now();
  const path = pathOf(surroundings, file);
  const source = await FileAccounts.open(path);
  try {
    const moved = await moveIn(source, account, worker, surroundings);
    const { accounts, records, events } = moved;
    const took = timeOf(records, surroundings.now() - begun);
    surroundings.out(
      `${path}: ${accounts} accounts with ${records} records, and ${events} audit events, are there ${took}\n`,
    );
    for (const line of remarksOn(moved, account === undefined ? source.unowned : 0)) {
      surroundings.out(`  ${line}\n`);
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
  surroundings: Surroundings,
): Promise<number> {
  const begun = surroundings.now();
  const path = pathOf(surroundings, file);
  const newIds = renumbered === undefined ? undefined : pathOf(surroundings, renumbered);
  const moved = await moveBack({ path, url, account, newIds }, worker, surroundings);
  const { accounts, records, events } = moved;
  const took = timeOf(records, surroundings.now() - begun);
  surroundings.out(
    `${path}: ${accounts} accounts with ${records} records, and ${events} audit events ${took}\n`,
  );
  surroundings.out(
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
