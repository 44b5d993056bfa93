// `import`: judges every row first and then sends the rows. So a file is imported whole,
// or not at all, or up to a Ctrl-C, and no row is imported twice.

import type { CommandDependencies } from '../../program/command-dependencies.js';
import { CommandError } from '../failures.js';
import { runId, type Service } from '../service.js';
import { ImportedFile, type ImportOptions } from './imported-file.js';
import { planOf } from './plan.js';
import { Report } from './problem.js';

/** Resolves with the exit code: 1 if a row is bad, or was left out because it is. */
export async function importData(
  options: ImportOptions,
  service: () => Service,
  dependencies: CommandDependencies,
): Promise<number> {
  const parts = await planOf(options);
  const report = new Report(options.reportPath);
  const files: ImportedFile[] = [];
  let isDone = false;
  try {
    if (!options.isDryRun) await service().reach();
    for (const part of parts) {
      const file = new ImportedFile(part, options, service, report, dependencies);
      files.push(file);
      await file.judge();
    }
    for (const line of report.lines()) dependencies.out(`  ${line}\n`);
    if (options.isDryRun) return report.badRows === 0 ? 0 : 1;
    if (report.badRows > 0 && !options.skipsBad) {
      throw new CommandError(
        'nothing was written; correct the rows, or pass --skip-bad to leave them out',
      );
    }
    const run = runId('import', dependencies);
    for (const file of files) await file.compare(run);
    let leftOut = 0;
    for (const file of files) leftOut += await file.send();
    isDone = true;
    return leftOut === 0 ? 0 : 1;
  } finally {
    for (const file of files) file.close(isDone);
    report.close();
  }
}
