// `node dist/server.js` as a process of a test.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './bare-environment.js';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface ServerProcess {
  readonly origin: string;
  readonly child: ChildProcess;
  /** Everything written to standard output and error so far. */
  output(): string;
  /** The parsed lines of the output. Throws if a line is not JSON. */
  log(): LogLine[];
  /** Resolves when the output contains the text that many times. Rejects if the process ends before. */
  saw(wanted: string, times?: number): Promise<void>;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Resolves with the exit code when the process ends by itself. */
  readonly exited: Promise<number | null>;
}

export type Environment = Readonly<Record<string, string>>;

/**
 * Starts a server process, which may fail to start. `launcher`: a command that runs the
 * command in its arguments. `options`: the server's own.
 */
export function spawnServer(
  environment: Environment,
  script = SERVER,
  launcher: readonly string[] = [],
  options: readonly string[] = [],
) {
  const [command = '', ...args] = [...launcher, process.execPath, script, ...options];
  const child = spawn(command, args, {
    env: { ...bareEnvironment(), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      resolve(code);
      for (const listener of listeners) listener();
    });
  });
  const output = () => text;
  const log = (): LogLine[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const saw = (wanted: string, times = 1) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.split(wanted).length > times) resolve();
        else if (child.exitCode !== null) reject(new Error(`the process ended: ${text}`));
        else return;
        listeners.delete(look);
      };
      listeners.add(look);
      look();
    });
  return { child, exited, output, log, saw };
}

/** Starts the server and resolves when it listens. */
export async function startServer(...how: Parameters<typeof spawnServer>): Promise<ServerProcess> {
  const { child, exited, output, log, saw } = spawnServer(...how);
  await saw('"event":"started"');
  const started = log().find(({ event }) => event === 'started');
  return {
    origin: String(started?.['address']),
    child,
    output,
    log,
    saw,
    exited,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
