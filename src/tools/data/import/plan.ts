// The files to import: one file into one collection, or the files of an export's folder,
// each into its own collection.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_NAMES, type CollectionName } from '../../../core/domain/collection-name.js';
import { UsageError } from '../../program/ending.js';
import { MANIFEST, readManifest } from '../export/manifest.js';
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
  const manifest = await readManifest(path);
  if (manifest.format !== 'ndjson') {
    throw new CommandError(
      `${join(path, MANIFEST)} is of an export as CSV, which has lost its types; import one of its files with --into, or export with --format ndjson`,
    );
  }
  const parts: Part[] = [];
  for (const collection of COLLECTION_NAMES) {
    const file = manifest.files.find((candidate) => candidate.content === collection);
    if (file === undefined || file.records === 0) continue;
    if (into !== undefined && into !== collection) continue;
    const source = await lookAt(join(path, file.name), encoding);
    if (source.sha256 !== file.sha256) {
      throw new CommandError(
        `${source.path} is not as it was exported: its SHA-256 differs from ${MANIFEST}; export again, or import the file alone with --into`,
      );
    }
    parts.push({ source, collection });
  }
  return parts;
}
