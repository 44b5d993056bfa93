// Runs SQL on a database file that no process has open. In a separate process, because libsql releases
// a file only when its statements are garbage-collected: here the lock could outlive `close()`.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from './root.js';

/** Uses libsql itself: loading @libsql/client takes most of such a process's time. */
const SCRIPT = `
  import Database from 'libsql';
  const [path, ...statements] = process.argv.slice(1);
  const database = new Database(path);
  let rows = [];
  for (const text of statements) {
    const statement = database.prepare(text);
    if (statement.reader) {
      const names = statement.columns().map(({ name }) => name);
      const values = statement.raw().all();
      rows = values.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
    } else {
      statement.run();
      rows = [];
    }
  }
  process.stdout.write(JSON.stringify(rows));
  database.close();
`;
const OUTPUT_MAX_BYTES = 64_000_000;

/**
 * Runs SQL on a database file and resolves with the last statement's rows.
 * @param {string} path
 * @param {readonly string[]} statements
 * @returns {Promise<Record<string, unknown>[]>}
 */
export async function runSql(path, ...statements) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', SCRIPT, '--', path, ...statements],
    { cwd: root, maxBuffer: OUTPUT_MAX_BYTES },
  );
  return JSON.parse(stdout);
}
