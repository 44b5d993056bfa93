// The process of a backup: `SOURCE PART FILE SERVICE`, a URI, two paths and who asks. The copy gets its name
// only once it is whole and on disk. Prints what it holds as JSON, or the reason why there is none.

import { existsSync, renameSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { Connection } from './connection.js';
import { messageOf } from './connection-errors.js';
import { makeEmpty, removeDatabase, syncFile, syncFolder } from './durable-files.js';
import { checkDatabase } from './own-database.js';

const [source = '', part = '', path = '', service = ''] = process.argv.slice(2);

// A signal to the whole process group is meant for the service, which ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
// Requests come first.
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
  // Once it is gone, another one may have changed the file while it was read.
  if (process.ppid !== Number(service)) throw new Error('the service that asked for it has ended');
  const contents = checkDatabase(part, 'quick_check');
  syncFile(part);
  renameSync(part, path);
  syncFolder(dirname(path));
  process.stdout.write(JSON.stringify({ ...contents, bytes: statSync(path).size }));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
