// What stands in an export's folder: written last, so that a folder without it
// is an export that was broken off.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectionName } from '../../domain/collection-name.js';
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

/** `no`: certainly not. `yes`: records came or went. `possibly`: something was changed in the service, perhaps here. */
export type Changed = 'no' | 'possibly' | 'yes';

export interface Manifest {
  readonly manifest: typeof VERSION;
  /** Of the program that exported. */
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

/** Throws a `CommandError` where the folder is no whole export. */
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
