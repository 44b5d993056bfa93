// `node dist/manage.js console` as a process of a test, and the part of a browser: it keeps the
// cookie, and sends forms as a browser does.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './bare-environment.js';

const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));

const ADDRESS = /"address":"([^"]+)"/;

export interface ConsoleProcess {
  readonly origin: string;
  readonly child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** The newest code for a sign-in. */
  code(): string;
  stop(): Promise<number | null>;
}

export interface ConsoleRun {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
}

/** Starts a console, which may fail to start, or the hash of a password, which `input` holds. */
export function spawnConsole(
  environment: Readonly<Record<string, string>>,
  command: 'console' | 'hash' = 'console',
  input = '',
): ConsoleRun {
  const child = spawn(process.execPath, [MANAGE, command], {
    env: { ...bareEnvironment(), CONSOLE_PORT: '0', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, exited, output: () => text };
}

/** Starts a console and resolves when it listens. */
export async function startConsoleProcess(
  environment: Readonly<Record<string, string>>,
): Promise<ConsoleProcess> {
  const { child, exited, output } = spawnConsole(environment);
  const listening = new Promise<void>((resolve) => {
    // Two streams: either line may come first.
    const look = () => {
      if (/^console: .*\/$/m.test(output()) && ADDRESS.test(output())) resolve();
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
  });
  await Promise.race([
    listening,
    exited.then(() => Promise.reject(new Error(`the console ended: ${output()}`))),
  ]);
  return {
    origin: ADDRESS.exec(output())?.[1] ?? '',
    child,
    output,
    code: () => [...output().matchAll(/^code: (\S+)$/gm)].at(-1)?.[1] ?? '',
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
