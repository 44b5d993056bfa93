// The process of a backup: `SOURCE COPY`, a URI and a path. Prints the contents of the copy as JSON, or
// the reason why there is none.

import { open } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { syncFile } from '../disk-sync.js';
import { Connection } from './connection.js';
import { messageOf } from './connection-errors.js';
import { OWNER_ONLY_FILE } from './file-copy.js';
import { checkDatabase } from './own-database.js';

const [source = '', copy = ''] = process.argv.slice(2);

// A signal to the whole process group is meant for the service, which ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
// Requests come first.
setPriority(constants.priority.PRIORITY_LOW);

try {
  // SQLite fills an empty file and keeps its permissions.
  await (await open(copy, 'wx', OWNER_ONLY_FILE)).close();
  const connection = new Connection(source);
  // What was deleted is in no page of the copy.
  connection.value('vacuum into ?', [copy]);
  connection.close();
  const contents = checkDatabase(copy, 'quick_check');
  await syncFile(copy);
  process.stdout.write(JSON.stringify(contents));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
