// Writes a database's log back again and again, without a pause, until it is ended:
// `node write-log-back.js FILE libsql|better-sqlite3`. Prints the version of its SQLite first.
// Plain JavaScript, since `node` starts it.

import { createRequire } from 'node:module';

const [file = '', library = 'libsql'] = process.argv.slice(2);
// The second one is a package of the benchmark.
const home =
  library === 'libsql' ? import.meta.url : new URL('../../../scripts/bench/', import.meta.url);
const Database = createRequire(home)(library);
const database = new Database(file, { timeout: 0 });
const [version] = database.prepare('select sqlite_version()').raw().get();
process.stdout.write(`SQLite ${version}\n`);
// The passive kind: every other takes the write lock before it looks at the log's index.
const writeBack = database.prepare('pragma wal_checkpoint(passive)');
for (;;) {
  try {
    writeBack.get();
  } catch {
    // The file is busy.
  }
}
