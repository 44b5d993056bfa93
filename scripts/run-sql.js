// SQL on a database file that nobody has open. It runs in a process of its own:
// the client lets go of a file only when its statements are garbage-collected,
// so that within this process the lock could outlive `close()`.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from './setup.js';

const SCRIPT = `
  import { createClient } from '@libsql/client';
  const [url, ...statements] = process.argv.slice(1);
  const client = createClient({ url, concurrency: 1 });
  let rows = [];
  for (const statement of statements) ({ rows } = await client.execute(statement));
  process.stdout.write(JSON.stringify(rows));
  client.close();
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
    ['--input-type=module', '--eval', SCRIPT, '--', `file:${path}`, ...statements],
    { cwd: root, maxBuffer: OUTPUT_MAX_BYTES },
  );
  return JSON.parse(stdout);
}
