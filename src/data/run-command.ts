// Runs a command: from its arguments to its exit code.

import { ledgerPath } from '../erasures/ledger.js';
import { EXIT_DONE, EXIT_INTERRUPTED, exitCodeOf, UsageError } from '../program/ending.js';
import { readBackups } from '../settings.js';
import {
  type CommandDependencies,
  type DataCommandDependencies,
  pathOf,
  withSettings,
} from './command-dependencies.js';
import {
  type Command,
  type EraseArguments,
  type ImportArguments,
  parseCommand,
} from './command-line.js';
import { eraseAccount } from './erase/erase-command.js';
import { exportData } from './export/export-command.js';
import { CommandError, Interrupted, sentenceOf } from './failures.js';
import { importData } from './import/import-command.js';
import { Service } from './service.js';
import { readTarget } from './target.js';
import type { Waits } from './waiting.js';

/** Resolves with the exit code. A failure is printed as one sentence. */
export async function runCommand(
  args: readonly string[],
  dependencies: DataCommandDependencies,
  waits?: Waits,
): Promise<number> {
  try {
    return await run(parseCommand(args), dependencies, waits);
  } catch (error) {
    dependencies.err(`${sentenceOf(error)}\n`);
    return error instanceof Interrupted ? EXIT_INTERRUPTED : exitCodeOf(error);
  }
}

async function run(
  command: Command,
  given: DataCommandDependencies,
  waits?: Waits,
): Promise<number> {
  if (command.kind === 'help' || command.kind === 'version') {
    given.out(command.kind === 'help' ? command.text : `${given.version}\n`);
    return EXIT_DONE;
  }
  const dependencies = withSettings(given, command.settingsFiles);
  const service = () => new Service(readTarget(dependencies), dependencies, waits);
  switch (command.kind) {
    case 'import':
      return runImport(command.given, service, dependencies);
    case 'export': {
      const { given } = command;
      const { account, format, collections, delimiter, isForExcel } = given;
      const folder = pathOf(dependencies, given.to);
      const style = { delimiter, isForExcel };
      const options = { account, folder, format, collections, style };
      await exportData(options, service(), dependencies);
      return EXIT_DONE;
    }
    case 'erase':
      await runErase(command.given, service, dependencies);
      return EXIT_DONE;
  }
}

function runImport(
  given: ImportArguments,
  service: () => Service,
  dependencies: CommandDependencies,
): Promise<number> {
  const { account, into, map, delimiter, decimal, encoding, report } = given;
  const path = pathOf(dependencies, given.file);
  const reportPath = report === undefined ? undefined : pathOf(dependencies, report);
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
    dependencies,
  );
}

async function runErase(
  { account, exportFirst }: EraseArguments,
  service: () => Service,
  dependencies: DataCommandDependencies,
): Promise<void> {
  const ledger = ledgerPath(dependencies.environment);
  if (ledger === undefined) {
    throw new UsageError(
      "neither BACKUP_DIR nor ERASURE_LEDGER is set; set one, since the ledger of erased accounts stands beside the backups' folder",
    );
  }
  const backups = readBackups(dependencies.environment);
  const exportFolder = pathOf(dependencies, exportFirst);
  if (exportFolder === '') throw new CommandError('--export-first names no folder');
  await eraseAccount({ account, exportFolder, ledger, backups }, service(), dependencies);
}
