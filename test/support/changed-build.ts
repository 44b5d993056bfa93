// The built programs in another folder with one changed file, for faults that nothing outside the
// process can cause.

import { cpSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../scripts/root.js';

/** Types and source maps are most of the bytes of dist/, and no process reads them. */
const isRun = (path: string) => !/\.map$|\/types$/.test(path);

/** Copies dist/ into the folder, with what it needs to run. Returns the path of the copy. */
export function copyBuild(folder: string): string {
  const dist = join(folder, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: isRun });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return dist;
}

/** Copies dist/ into the folder and puts code before one of its files. Resolves with the path of the server. */
export async function changedBuild(folder: string, file: string, code: string): Promise<string> {
  const path = join(copyBuild(folder), file);
  await writeFile(path, `${code}\n${await readFile(path, 'utf8')}`);
  return join(path, '../server.js');
}

/** A server whose writes fail, as on a disk with faults, while the file `fault` exists. */
export function buildWithFailingWrites(folder: string, fault: string): Promise<string> {
  const code = `import { existsSync as isThere } from 'node:fs';
    import { parentPort as port } from 'node:worker_threads';
    {
      const ioError = 'SQLITE_IOERR: disk I/O error';
      const post = port.postMessage.bind(port);
      const calls = [];
      port.on('message', ({ name }) => calls.push(name));
      port.postMessage = (reply, moved) => {
        const call = 'replica' in reply ? undefined : calls.shift();
        const fails = isThere(${JSON.stringify(fault)});
        if (fails && call === 'commit') post({ value: { status: 'notStored', error: ioError } });
        else post(fails && call === 'touch' ? { error: ioError } : reply, moved);
      };
    }`;
  return changedBuild(folder, 'storage-thread.js', code);
}
