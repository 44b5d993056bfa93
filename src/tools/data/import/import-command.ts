// `import`: validates every row of every file before it sends any.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTION_NAMES, type CollectionName } from '../../../core/domain/collection-name.js';
import { type Call, Interrupted, UsageError } from '../../program/command.js';
import { CommandError } from '../errors.js';
import type { ServiceClient } from '../service-client.js';
import {
  type ImportOptions,
  sendFile,
  type ValidFile,
  validateFile,
  withoutExisting,
} from './import-file.js';
import { Report } from './report.js';
import { readSource, type SourceFile } from './source-file.js';

/** Resolves with the exit code: 1 if a row is bad, even if it was skipped. `service`: undefined in a dry run. */
export async function importData(
  options: ImportOptions,
  service: ServiceClient | undefined,
  call: Call,
): Promise<number> {
  const sources = sourcesOf(options);
  await service?.checkReachable();
  const report = new Report();
  const files: ValidFile[] = [];
  for (const [source, collection] of sources) {
    files.push(await validateFile(source, collection, options, report, call));
  }
  if (options.report !== undefined) report.write(options.report);
  for (const line of report.lines(options.report)) call.out(`  ${line}\n`);
  const exitCode = report.badRows === 0 ? 0 : 1;
  if (service === undefined) return exitCode;
  if (exitCode === 1 && !options.skipBad) {
    throw new CommandError(
      'nothing was written; correct the rows, or pass --skip-bad to leave them out',
    );
  }
  if (call.interrupted.aborted) throw new Interrupted('stopped; nothing was written');
  const newFiles: ValidFile[] = [];
  for (const file of files) newFiles.push(await withoutExisting(file, options, service, call));
  for (const file of newFiles) await sendFile(file, options, service, call);
  return exitCode;
}

/** The files to import, each with its collection: one file, or those of an export's folder. */
function sourcesOf({ path, into, encoding }: ImportOptions): [SourceFile, CollectionName][] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const found = COLLECTION_NAMES.filter((name) => (into ?? name) === name).flatMap((collection) =>
      [`${collection}.ndjson`, `${collection}.csv`]
        .map((name) => join(path, name))
        .filter((file) => existsSync(file))
        .slice(0, 1)
        .map((file): [SourceFile, CollectionName] => [readSource(file, encoding), collection]),
    );
    if (found.length > 0) return found;
    throw new CommandError(
      `${path} has no file such as ${COLLECTION_NAMES[0]}.ndjson or ${COLLECTION_NAMES[0]}.csv; name the folder of an export, or a file`,
    );
  }
  if (into !== undefined) return [[readSource(path, encoding), into]];
  throw new UsageError(`--into is missing; it must be one of ${COLLECTION_NAMES.join(', ')}`);
}
