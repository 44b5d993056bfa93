// `node dist/server.js` as a test runs it: started, spoken to, stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
  /** The output's lines, parsed; throws where one is no JSON. */
  log(): LogLine[];
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Resolves with the exit code when the process ends by itself. */
  readonly exited: Promise<number | null>;
}

export type Environment = Readonly<Record<string, string>>;

/** Starts a process that may fail to start. */
export function spawnServer(environment: Environment, script = SERVER) {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...environment },
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
  /** Resolves when the output contains the text; rejects when the process ends without it. */
  const saw = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.includes(wanted)) resolve();
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
export async function startServer(environment: Environment): Promise<ServerProcess> {
  const { child, exited, output, log, saw } = spawnServer(environment);
  await saw('"event":"started"');
  const started = log().find(({ event }) => event === 'started');
  return {
    origin: String(started?.['address']),
    child,
    output,
    log,
    exited,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
