// The list of the files in an export's folder. It is written last, so a folder without
// it is an export that was broken off.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { CommandError, systemCodeOf } from '../failures.js';

export const MANIFEST = 'manifest.json';
const VERSION = 1;

export type ExportFormat = 'ndjson' | 'csv';

export interface ExportedFile {
  readonly name: string;
  readonly content: CollectionName | 'payments' | 'audit';
  readonly records: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** `no`: nothing was changed. `yes`: records were created or deleted. `possibly`: something in the service was changed, perhaps in this account. */
export type Changed = 'no' | 'possibly' | 'yes';

export interface Manifest {
  readonly manifest: typeof VERSION;
  /** The version of the program that exported. */
  readonly version: string;
  readonly service: string;
  readonly account: string;
  readonly format: ExportFormat;
  /** RFC 3339, UTC. */
  readonly begun: string;
  readonly finished: string;
  readonly changed_meanwhile: Changed;
  readonly files: readonly ExportedFile[];
}

export function manifestOf(facts: Omit<Manifest, 'manifest'>): Manifest {
  return { manifest: VERSION, ...facts };
}

/** Throws a `CommandError` if the folder is not a whole export. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  try {
    const manifest: Manifest = JSON.parse(await readFile(path, 'utf8'));
    if (manifest.manifest === VERSION && Array.isArray(manifest.files)) return manifest;
  } catch (error) {
    if (systemCodeOf(error) !== undefined) {
      throw new CommandError(
        `${folder} has no ${MANIFEST} (${systemCodeOf(error)}); name one account's folder of an export that was finished`,
      );
    }
  }
  throw new CommandError(`${path} is no manifest of this program; name the folder of an export`);
}
