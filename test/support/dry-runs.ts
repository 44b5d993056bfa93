// Dry runs of files that a test writes. They need neither a service nor its key.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataCommandHere } from './data-command.js';
import { openTemporaryFolder } from './temporary-folder.js';

export async function openDryRuns() {
  const folder = await openTemporaryFolder();
  let serial = 0;
  return {
    folder: folder.path,
    async judge(content: string | Uint8Array, into: string, args: string[] = [], ending = 'csv') {
      const path = join(folder.path, `f${++serial}.${ending}`);
      await writeFile(path, content);
      const { code, stdout, stderr } = await dataCommandHere(
        ['import', path, '--account', 'shop', '--into', into, '--dry-run', ...args],
        {},
      );
      return { code, text: (stdout + stderr).replaceAll(`${folder.path}/`, '') };
    },
    close: () => folder.remove(),
  };
}

export type DryRuns = Awaited<ReturnType<typeof openDryRuns>>;
