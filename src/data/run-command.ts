// Runs a command: from its arguments to its exit code.

import { readBackups, SettingError } from '../settings.js';
import {
  type Command,
  type EraseArguments,
  type ImportArguments,
  parseCommand,
} from './command-line.js';
import { eraseAccount } from './erase/erase-command.js';
import { ledgerPath } from './erase/ledger.js';
import { exportData } from './export/export-command.js';
import {
  CommandError,
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_WRONG_USE,
  Interrupted,
  sentenceOf,
  UsageError,
} from './failures.js';
import { importData } from './import/import-command.js';
import { Service } from './service.js';
import { type DataSurroundings, pathOf, type Surroundings } from './surroundings.js';
import { readTarget } from './target.js';
import type { Waits } from './waiting.js';

/** Resolves with the exit code. A failure is printed as one sentence. */
export async function runCommand(
  args: readonly string[],
  surroundings: DataSurroundings,
  waits?: Waits,
): Promise<number> {
  try {
    return await run(parseCommand(args), surroundings, waits);
  } catch (error) {
    const isWrongUse = error instanceof UsageError || error instanceof SettingError;
    surroundings.err(`${sentenceOf(error)}\n`);
    if (isWrongUse) return EXIT_WRONG_USE;
    return error instanceof Interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
  }
}

async function run(
  command: Command,
  surroundings: DataSurroundings,
  waits?: Waits,
): Promise<number> {
  const service = () => new Service(readTarget(surroundings), surroundings, waits);
  switch (command.kind) {
    case 'help':
      surroundings.out(command.text);
      return EXIT_DONE;
    case 'import':
      return runImport(command.given, service, surroundings);
    case 'export': {
      const { given } = command;
      const { account, format, collections, delimiter, isForExcel } = given;
      const folder = pathOf(surroundings, given.to);
      const style = { delimiter, isForExcel };
      const options = { account, folder, format, collections, style };
      await exportData(options, service(), surroundings);
      return EXIT_DONE;
    }
    case 'erase':
      await runErase(command.given, service, surroundings);
      return EXIT_DONE;
  }
}

function runImport(
  given: ImportArguments,
  service: () => Service,
  surroundings: Surroundings,
): Promise<number> {
  const { account, into, map, delimiter, decimal, encoding, report } = given;
  const path = pathOf(surroundings, given.file);
  const reportPath = report === undefined ? undefined : pathOf(surroundings, report);
  if (reportPath === path) {
    throw new UsageError('--report names the imported file itself; name another one');
  }
  const { isDryRun, skipsBad, isReversed, connections } = given;
  let only: Service | undefined;
  return importData(
    {
      path,
      account,
      into,
      reading: { map, delimiter, decimal },
      encoding,
      isDryRun,
      reportPath,
      skipsBad,
      isReversed,
      connections,
    },
    () => {
      only ??= service();
      return only;
    },
    surroundings,
  );
}

async function runErase(
  { account, exportFirst }: EraseArguments,
  service: () => Service,
  surroundings: DataSurroundings,
): Promise<void> {
  const ledger = ledgerPath(surroundings.environment);
  if (ledger === undefined) {
    throw new UsageError(
      "neither BACKUP_DIR nor ERASURE_LEDGER is set; set one, since the ledger of erased accounts stands beside the backups' folder",
    );
  }
  const backups = readBackups(surroundings.environment);
  const exportFolder = pathOf(surroundings, exportFirst);
  if (exportFolder === '') throw new CommandError('--export-first names no folder');
  await eraseAccount({ account, exportFolder, ledger, backups }, service(), surroundings);
}
