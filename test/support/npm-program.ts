// npm's own program, as a test of a command that runs npm names it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** `npm test` says it; without npm the one of the machine's Node is asked. */
export function npmProgram(): string {
  const { npm_execpath: known } = process.env;
  if (known !== undefined) return known;
  const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' });
  return join(stdout.trim(), 'npm/bin/npm-cli.js');
}
