// The process of a backup. Its arguments are SOURCE (a URI), PART and FILE (paths) and SERVICE (a process id).
// The copy is renamed from PART to FILE once it is checked and on disk. Prints its contents as JSON, or the
// reason for a failure.

import { existsSync, renameSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { Connection } from './connection.js';
import { messageOf } from './connection-errors.js';
import { makeEmpty, removeDatabase, syncFile, syncFolder } from './durable-files.js';
import { checkDatabase } from './open-database.js';

const [source = '', part = '', path = '', service = ''] = process.argv.slice(2);

// A signal to the process group is meant for the service, which ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
// Requests have priority.
setPriority(constants.priority.PRIORITY_LOW);

try {
  if (existsSync(path)) throw new Error('a file of that name exists; choose another name');
  await removeDatabase(part);
  // SQLite fills an empty file and keeps its permissions.
  makeEmpty(part);
  const connection = new Connection(source);
  // The pages of the copy hold no deleted data.
  connection.value('vacuum into ?', [part]);
  connection.close();
  // If the service has ended, another one may have changed the file while it was read.
  if (process.ppid !== Number(service)) throw new Error('the service that requested it has ended');
  const contents = checkDatabase(part, 'quick_check');
  syncFile(part);
  renameSync(part, path);
  syncFolder(dirname(path));
  process.stdout.write(JSON.stringify({ ...contents, bytes: statSync(path).size }));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
