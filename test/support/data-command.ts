// `node dist/data.js` as an operator runs it, and the same command in this
// process, where a test shortens its waits or presses Ctrl-C.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DataCommandDependencies } from '../../src/data/command-dependencies.js';
import { runCommand } from '../../src/data/run-command.js';
import type { Waits } from '../../src/data/waiting.js';
import { bareEnvironment } from './bare-environment.js';

const DATA = fileURLToPath(new URL('../../dist/data.js', import.meta.url));

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandRun>;
}

type Environment = Readonly<Record<string, string>>;

export function startDataCommand(
  args: readonly string[],
  environment: Environment,
  cwd?: string,
): StartedCommand {
  return startProgram(DATA, args, environment, cwd);
}

export function startProgram(
  script: string,
  args: readonly string[],
  environment: Environment,
  cwd?: string,
): StartedCommand {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...bareEnvironment(), ...environment },
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = new Promise<CommandRun>((resolve) => {
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return { child, ended };
}

export function dataCommand(...how: Parameters<typeof startDataCommand>): Promise<CommandRun> {
  return startDataCommand(...how).ended;
}

/** Short waits: the tests look whether a command waits, not how long. */
export const SHORT_WAITS: Waits = {
  firstMs: 5,
  maxMs: 50,
  patienceMs: 10_000,
  timeoutMs: 1_000,
  onItsWayMs: 300,
};

export function dataCommandHere(
  args: readonly string[],
  environment: Environment,
  { waits = SHORT_WAITS, interrupted = new AbortController().signal } = {},
): Promise<CommandRun> {
  return runHere(environment, interrupted, (dependencies) => runCommand(args, dependencies, waits));
}

/** Runs a command in this process and keeps its output. */
export async function runHere(
  environment: Environment,
  interrupted: AbortSignal,
  command: (dependencies: DataCommandDependencies) => Promise<number>,
): Promise<CommandRun> {
  const text = { stdout: '', stderr: '' };
  const code = await command({
    environment,
    out: (more) => {
      text.stdout += more;
    },
    err: (more) => {
      text.stderr += more;
    },
    isTerminal: false,
    interrupted,
    now: Date.now,
    randomBytes,
    version: '0.1.0',
  });
  return { code, ...text };
}
