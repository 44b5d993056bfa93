// An account's data for a person: a zip file with a CSV for each collection, as `export --excel`
// writes them. Spreadsheet programs open them, and an import of the files gives the same records.

import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadableStream } from 'node:stream/web';
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
  const pieces = zipped(folder, remove);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return();
      // A generator that never began has no `finally` to run.
      await remove();
    },
  });
  return stream as globalThis.ReadableStream<Uint8Array>;
}

async function* zipped(
  folder: string,
  remove: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  try {
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
  } finally {
    await remove();
  }
}

/** Only letters, digits and hyphens of the subject are in the file's name. */
export function downloadHeaders(account: string): Record<string, string> {
  const name = account.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, NAME_MAX_CHARACTERS);
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${name}.zip"`,
  };
}
