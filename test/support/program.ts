// A program run by a test: its output, waiting for a text in it, its exit. None outlives this process.

import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string>>;

/** Everything that a program printed, and its exit code: null after a signal. */
export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Program = ReturnType<typeof startProgram>;

export interface ProgramOptions {
  /** Added to the few variables that every program needs. An undefined variable is left out. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** The text of standard input; without it, the program has none. */
  readonly input?: string | undefined;
  /** A descriptor that becomes descriptor 3. */
  readonly third?: number;
  /** Whether a signal goes to the processes that it starts, too. */
  readonly isGroup?: boolean;
}

const running = new Set<(signal: NodeJS.Signals) => unknown>();
const killAll = () => {
  for (const kill of running) kill('SIGKILL');
};
process.on('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killAll();
    // Without this handler the signal ends the process.
    process.kill(process.pid, signal);
  });
}

/** Starts a command, which may fail to start. A missing command rejects `exited`. */
export function startProgram(
  [command = '', ...args]: readonly string[],
  { environment, cwd, input, third, isGroup = false }: ProgramOptions = {},
) {
  const child = spawn(command, args, {
    cwd,
    detached: isGroup,
    // Only the path of this machine's commands: no setting of the developer's.
    env: { PATH: process.env['PATH'], ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(third ? [third] : [])],
  });
  const kill = (signal: NodeJS.Signals) =>
    isGroup && running.has(kill) ? process.kill(-Number(child.pid), signal) : child.kill(signal);
  running.add(kill);
  child.once('close', () => running.delete(kill));
  (child.stdin as Writable | null)?.end(input);
  const text = { stdout: '', stderr: '' };
  let output = '';
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      output += chunk;
      child.emit('output');
    });
  }
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  exited.catch(() => {});
  return {
    child,
    isRunning: () => running.has(kill),
    /** Everything on standard output and error so far, in the order of arrival. */
    output: () => output,
    /**
     * Resolves with the text, or with the first group of the pattern, once the output has it (a
     * text this many times). Rejects if the process ends before.
     */
    saw: (wanted: string | RegExp, times = 1) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const [all, group] = typeof wanted === 'string' ? [] : (wanted.exec(output) ?? []);
          const isThere = typeof wanted === 'string' && output.split(wanted).length > times;
          if (!isThere && all === undefined) return;
          child.off('output', look);
          resolve(group ?? all ?? '');
        };
        child.on('output', look);
        exited.then(() => reject(new Error(`the process ended: ${output}`)), reject);
        look();
      }),
    /** Resolves with the exit code when the process has ended and all output has arrived. */
    exited,
    ended: exited.then((code): ProgramRun => ({ code, ...text })),
    /** Resolves with the exit code. */
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      kill(signal);
      return exited;
    },
  };
}
