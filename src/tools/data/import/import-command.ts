// `import`: checks every row before it sends any. So a file is imported as a whole, not at
// all, or up to a Ctrl-C, and no row is imported twice.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTION_NAMES, type CollectionName } from '../../../core/domain/collection-name.js';
import { type Call, UsageError } from '../../program/command.js';
import { CommandError } from '../failures.js';
import { runId, type Service } from '../service.js';
import { ImportedFile, type ImportOptions } from './imported-file.js';
import { Report } from './problem.js';
import { lookAt, type SourceFile } from './source-file.js';

/** Resolves with the exit code: 1 if a row is bad, even if it was left out. */
export async function importData(
  options: ImportOptions,
  service: () => Service,
  dependencies: Call,
): Promise<number> {
  const sources = await sourcesOf(options);
  const report = new Report(options.reportPath);
  const files: ImportedFile[] = [];
  let isDone = false;
  try {
    if (!options.dryRun) await service().reach();
    for (const [source, collection] of sources) {
      const file = new ImportedFile(source, collection, {
        ...options,
        service,
        report,
        dependencies,
      });
      files.push(file);
      await file.judge();
    }
    for (const line of report.lines()) dependencies.out(`  ${line}\n`);
    if (options.dryRun) return report.badRows === 0 ? 0 : 1;
    if (report.badRows > 0 && !options.skipBad) {
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

/** One file into one collection, or the files of an export's folder, each into its own. */
async function sourcesOf({ path, into, encoding }: ImportOptions) {
  const sources: [SourceFile, CollectionName][] = [];
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    for (const collection of COLLECTION_NAMES.filter((name) => (into ?? name) === name)) {
      const file = [`${collection}.ndjson`, `${collection}.csv`]
        .map((name) => join(path, name))
        .find((name) => existsSync(name));
      if (file !== undefined) sources.push([await lookAt(file, encoding), collection]);
    }
  } else if (into !== undefined) sources.push([await lookAt(path, encoding), into]);
  else throw new UsageError(`--into is missing; it must be one of ${COLLECTION_NAMES.join(', ')}`);
  if (sources.length > 0) return sources;
  throw new CommandError(
    `${path} has no file such as ${COLLECTION_NAMES[0]}.ndjson or ${COLLECTION_NAMES[0]}.csv; name the folder of an export, or a file`,
  );
}
