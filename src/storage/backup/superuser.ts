// The superuser works only in folders of its own: what it makes elsewhere, the service could not read.

import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Throws if the superuser asks, and the folder of the path belongs to another user. */
export function expectOwnFolder(path: string): void {
  const folder = dirname(resolve(path));
  const uid = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new Error(
    `the superuser runs this, and ${folder} belongs to another user; run it as that user: runuser -u "$(id -un ${uid})" -- COMMAND`,
  );
}
