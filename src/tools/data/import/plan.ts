// The files to import: one file into one collection, or the files of an export's folder,
// each into its own collection.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_NAMES, type CollectionName } from '../../../core/domain/collection-name.js';
import { UsageError } from '../../program/ending.js';
import { CommandError, systemCodeOf } from '../failures.js';
import { lookAt, type SourceFile } from './source-file.js';

export interface Part {
  readonly source: SourceFile;
  readonly collection: CollectionName;
}

export interface PlanOptions {
  readonly path: string;
  readonly into: CollectionName | undefined;
  readonly encoding: string | undefined;
}

export async function planOf({ path, into, encoding }: PlanOptions): Promise<Part[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read (${systemCodeOf(error)}); check the path`);
  });
  if (!found.isDirectory()) {
    if (into === undefined) {
      throw new UsageError(`--into is missing; it must be one of ${COLLECTION_NAMES.join(', ')}`);
    }
    return [{ source: await lookAt(path, encoding), collection: into }];
  }
  const parts: Part[] = [];
  for (const collection of COLLECTION_NAMES.filter((name) => (into ?? name) === name)) {
    const file = [`${collection}.ndjson`, `${collection}.csv`]
      .map((name) => join(path, name))
      .find((name) => existsSync(name));
    if (file !== undefined) parts.push({ source: await lookAt(file, encoding), collection });
  }
  if (parts.length > 0) return parts;
  throw new CommandError(
    `${path} has no file such as ${COLLECTION_NAMES[0]}.ndjson or ${COLLECTION_NAMES[0]}.csv; name the folder of an export, or a file`,
  );
}
