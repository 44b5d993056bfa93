// An account's data for a person: a zip with a CSV for each collection, as `export --excel` writes
// them. Spreadsheet programs open the files, and importing them gives the same records.

import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Zip, ZipDeflate } from 'fflate';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { exportAccount } from '../data/export/export-command.js';
import type { ErasureParts } from './erasures.js';

const CSV = { delimiter: ',', decimal: '.', isForExcel: true } as const;
const NAME_MAX_CHARACTERS = 60;

/** Resolves once every record has been read, so that a download that begins is whole. */
export async function exportedZip(
  { service, dependencies }: Pick<ErasureParts, 'service' | 'dependencies'>,
  account: string,
): Promise<globalThis.ReadableStream<Uint8Array>> {
  const home = await mkdtemp(join(tmpdir(), 'console-export-'));
  const folder = join(home, 'files');
  const remove = () => rm(home, { recursive: true, force: true });
  try {
    const options = { account, folder, collections: COLLECTION_NAMES, csv: CSV };
    await exportAccount(options, service, dependencies);
  } catch (error) {
    await remove();
    throw error;
  }
  const stream = Readable.from(zipped(folder));
  // Also if the zip fails, or its reader leaves.
  stream.once('close', () => remove().catch(() => {}));
  return Readable.toWeb(stream) as globalThis.ReadableStream<Uint8Array>;
}

async function* zipped(folder: string): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for (const name of await readdir(folder)) {
    const file = new ZipDeflate(name);
    zip.add(file);
    for await (const bytes of createReadStream(join(folder, name))) {
      file.push(bytes);
      yield* pieces.splice(0);
    }
    file.push(new Uint8Array(), true);
  }
  zip.end();
  yield* pieces;
}

/** Only letters, digits and hyphens of the subject are in the file's name. */
export function downloadHeaders(account: string): Record<string, string> {
  const name = account.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, NAME_MAX_CHARACTERS);
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${name}.zip"`,
  };
}
