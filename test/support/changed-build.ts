// The built server with one changed file, which begins with code of the test. It is for
// faults that nothing outside the process can cause.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyBuild } from './build-copy.js';

/** Copies dist/ into the folder and puts code before one of its files. Resolves with the path of the server. */
export async function changedBuild(folder: string, file: string, code: string): Promise<string> {
  const path = join(copyBuild(folder), file);
  await writeFile(path, `${code}\n${await readFile(path, 'utf8')}`);
  return join(path, '../server.js');
}

/** A server whose writes fail, as on a disk with faults, while the file `fault` is there. */
export function buildWithFailingWrites(folder: string, fault: string): Promise<string> {
  const code = `import { existsSync as isThere } from 'node:fs';
    import { parentPort as port } from 'node:worker_threads';
    const ioError = 'SQLITE_IOERR: disk I/O error';
    const post = port.postMessage.bind(port);
    const namesByCall = new Map();
    port.on('message', ({ call, name }) => namesByCall.set(call, name));
    port.postMessage = (reply) => {
      const { call } = reply;
      const fails = isThere(${JSON.stringify(fault)}) ? namesByCall.get(call) : '';
      namesByCall.delete(call);
      if (fails === 'commit') post({ call, value: { status: 'notStored', error: ioError } });
      else post(fails === 'touch' ? { call, error: ioError } : reply);
    };`;
  return changedBuild(folder, 'storage-thread.js', code);
}
