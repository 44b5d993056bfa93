// The package libsql. It is loaded when the first file is opened, because the one for another
// system cannot be: its files were copied from there, or Windows has no runtime for it.

import { createRequire } from 'node:module';
import type Database from 'libsql';

type Library = typeof Database;

let library: Library | undefined;

/** Throws a sentence for the operator where this machine cannot load it. */
export function libsql(): Library {
  try {
    library ??= createRequire(import.meta.url)('libsql') as Library;
    return library;
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    const runtime =
      process.platform === 'win32' ? ", with Microsoft's Visual C++ Redistributable" : '';
    throw new Error(
      `the database library, libsql, cannot be loaded here (${reason}); run npm ci on this machine${runtime}`,
      { cause: error },
    );
  }
}
