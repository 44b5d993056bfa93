// A program as a process of a test: what it has printed, a wait for a text of it, its end.

import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string>>;

/** What a program printed in all, and its exit code: null after a signal. */
export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Program = ReturnType<typeof startProgram>;

interface ProgramOptions {
  /** Beside the little that every program needs. An undefined variable is left out. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** Of standard input; without it the program has none. */
  readonly input?: string | undefined;
  /** Becomes descriptor 3: another descriptor, or a channel for messages. */
  readonly third?: number | 'ipc' | undefined;
}

/** Starts a command, which may fail to start. A command that is missing rejects `exited`. */
export function startProgram(
  [command = '', ...args]: readonly string[],
  { environment, cwd, input, third }: ProgramOptions = {},
) {
  const child = spawn(command, args, {
    cwd,
    // Nothing of this machine's but the path of its commands: no setting of the developer's.
    env: { PATH: process.env['PATH'], ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(third ? [third] : [])],
  });
  (child.stdin as Writable | null)?.end(input);
  const text = { stdout: '', stderr: '' };
  let output = '';
  const lookers = new Set<() => void>();
  const tell = () => {
    for (const look of lookers) look();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      output += chunk;
      tell();
    });
  }
  let hasEnded = false;
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      hasEnded = true;
      resolve(code);
      tell();
    });
  });
  exited.catch(() => {});
  const found = (wanted: string | RegExp, times: number) => {
    if (typeof wanted === 'string') return output.split(wanted).length > times ? wanted : undefined;
    const [all, group] = wanted.exec(output) ?? [];
    return group ?? all;
  };
  return {
    child,
    /** Everything on standard output and error so far, as it came. */
    output: () => output,
    /**
     * Resolves with the text, or with the first group of the pattern, once the output has it (a
     * text this many times). Rejects if the process ends before.
     */
    saw: (wanted: string | RegExp, times = 1) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const seen = found(wanted, times);
          if (seen !== undefined) resolve(seen);
          else if (hasEnded) reject(new Error(`the process ended: ${output}`));
          else return;
          lookers.delete(look);
        };
        exited.catch(reject);
        lookers.add(look);
        look();
      }),
    /** Resolves with the exit code when the process has ended and all is printed. */
    exited,
    ended: exited.then((code): ProgramRun => ({ code, ...text })),
    /** Resolves with the exit code. */
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}
