// SQL on a database file that no service has open. It runs in a process of its
// own: the client lets go of a file only when its statements are collected.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = `
  import { createClient } from '@libsql/client';
  const [url, ...statements] = process.argv.slice(1);
  const client = createClient({ url, concurrency: 1 });
  for (const statement of statements) await client.execute(statement);
  client.close();
`;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function runSql(
  /** @type {string} */ file,
  /** @type {readonly string[]} */ statements,
) {
  const args = ['--input-type=module', '--eval', SCRIPT, '--', `file:${file}`, ...statements];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
}
