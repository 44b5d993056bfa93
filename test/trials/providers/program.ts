// A provider as a program of its own: fetched with an ordinary client, started
// on a free port, stopped and started again.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const START_MAX_MS = 120_000;
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

export class Program {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, args, folder, environment, logFile, readyUrl } = this.#options;
    const log = createWriteStream(logFile, { flags: 'a' });
    const child = spawn(command, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that a launcher's children end with it.
      detached: true,
    });
    this.#child = child;
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    const deadline = Date.now() + START_MAX_MS;
    while (!(await answers(readyUrl))) {
      if (child.exitCode !== null) {
        const said = (await readFile(logFile, 'utf8')).slice(-2_000);
        throw new Error(`${command} ended with ${child.exitCode}: ${said}`);
      }
      if (Date.now() > deadline) throw new Error(`${command} is not ready; see ${logFile}`);
      await pause(250);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const group = -child.pid;
    process.kill(group, 'SIGTERM');
    const timer = setTimeout(() => process.kill(group, 'SIGKILL'), STOP_MAX_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Seconds of processor time that the program has used, its children not counted. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }
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

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
