// Programs of other projects: fetched with an ordinary client, started and stopped.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '../../scripts/setup.js';

const run = promisify(execFile);
/** Packages and fetched programs, kept from run to run. */
export const CACHE = join(root, 'data/compat');
const START_MAX_MS = 600_000;
const STOP_MAX_MS = 15_000;

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers with a status below 500 once the program is ready. */
  readonly readyUrl: string;
  readonly logFile: string;
}

/** Starts it; resolves when it is ready. */
export async function startProvider(options: ProgramOptions) {
  let child = await started(options);
  return {
    down: () => ended(child),
    async up() {
      child = await started(options);
    },
  };
}

async function started(options: ProgramOptions): Promise<ChildProcess> {
  const { command, args, folder, environment, logFile, readyUrl } = options;
  const log = createWriteStream(logFile, { flags: 'a' });
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a launcher's children end with it.
    detached: true,
  });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const deadline = Date.now() + START_MAX_MS;
  while (!(await answers(readyUrl))) {
    if (child.exitCode !== null) {
      const said = (await readFile(logFile, 'utf8')).slice(-2_000);
      throw new Error(`${command} ended with ${child.exitCode}: ${said}`);
    }
    if (Date.now() > deadline) throw new Error(`${command} is not ready; see ${logFile}`);
    await delay(250);
  }
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const group = -child.pid;
  process.kill(group, 'SIGTERM');
  const timer = setTimeout(() => process.kill(group, 'SIGKILL'), STOP_MAX_MS);
  await exited;
  clearTimeout(timer);
}

/** Creates the file `path` by the commands, unless it exists. */
export async function have(path: string, ...commands: readonly (readonly string[])[]) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  for (const [command = '', ...args] of commands) {
    await run(command, args, { cwd: dirname(path), maxBuffer: 64 * 1024 * 1024 });
  }
  if (!existsSync(path)) throw new Error(`${path} could not be had`);
}

/** A copy of a Maven artifact, such as `org.keycloak:keycloak-quarkus-dist:26.4.0:zip`. */
export function mavenCopy(artifact: string, folder: string): readonly string[] {
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
  return ['mvn', '-q', '-B', plugin, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
}

/** A Python environment with the packages; its folder is `path`'s second parent. */
export function pythonEnvironment(folder: string, ...packages: readonly string[]) {
  return [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', ...packages],
  ] as const;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}
