// The real Litestream in a folder of a test, if this machine has it.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { litestreamFile } from '../../scripts/bench/litestream.js';

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
  const inFolder = [`url: file://${join(folder, 'replica')}`];
  const plan = { file, socketPath, replica: replica ?? inFolder, more: more ?? [] };
  writeFileSync(config, [...general, litestreamFile(plan)].join('\n'));
  // With this variable Litestream 0.5.17 does not open an S3-compatible store.
  const env = { ...process.env, AWS_CA_BUNDLE: undefined };
  const run = (args: readonly string[]) => execFileSync(program, args, { stdio: 'pipe', env });
  const home: LitestreamHome = {
    file,
    socketPath,
    start() {
      const log = openSync(join(folder, 'litestream.log'), 'a');
      const child = spawn(program, ['replicate', '-config', config], {
        stdio: ['ignore', log, log],
        env,
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
