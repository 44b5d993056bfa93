// `node dist/server.js` for trials that kill it, trace it or let its start fail. No process
// is left behind, even when the trial fails.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { killAll } from '../../../scripts/bench/processes.js';
import { root } from '../../../scripts/setup.js';
import { bareEnvironment } from '../../support/bare-environment.js';

const SERVER = join(root, 'dist/server.js');
const UNIT = readFileSync(join(root, 'scripts/operations/service-management.service'), 'utf8');
/** Node's options in the unit: every trial starts the service as an operator does. */
const UNIT_OPTIONS = /^Environment=NODE_OPTIONS=.*$/m.exec(UNIT)?.[0].match(/--\S+/g) ?? [];
export const ADMIN_KEY = 'operator-of-the-trials-0123456789-abcdef';

export interface ProcessOptions {
  /** Settings in addition to a free port and the operator's key. */
  environment: Readonly<Record<string, string>>;
  /** The path of another build of the server. */
  script?: string;
  /** A command that runs the server, such as a tracer. It must let the server keep its process id. */
  under?: readonly string[];
  /** In addition to those of the unit. */
  nodeOptions?: readonly string[];
  /** Whether to open a channel for messages, for the probe. */
  hasChannel?: boolean;
}

/** `file` is the database. */
export type ServiceOptions = Omit<ProcessOptions, 'environment'> & {
  file: string;
  identityOrigin: string;
};

export type LogLine = {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
};

export type Service = ReturnType<typeof spawnService>;

const running: Set<ChildProcess> = new Set();
function killRunning(): void {
  for (const child of running) child.kill('SIGKILL');
  killAll();
}
process.on('exit', killRunning);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    killRunning();
    // Without this handler the signal ends the process.
    process.kill(process.pid, signal);
  });

/** Spawns a server with a database and an identity provider. The start may fail. */
export function spawnService({ file, identityOrigin, ...options }: ServiceOptions) {
  const environment = {
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: `${identityOrigin}/userinfo`,
    AUTH_CACHE_SECONDS: '300',
  };
  return spawnServer({ ...options, environment });
}

/** Spawns a server with these settings. The start may fail. */
export function spawnServer(options: ProcessOptions) {
  const { environment, script = SERVER, under = [], nodeOptions = [], hasChannel } = options;
  const [command = '', ...args] = [
    ...under,
    process.execPath,
    ...UNIT_OPTIONS,
    ...nodeOptions,
    script,
  ];
  const child = spawn(command, args, {
    env: { ...bareEnvironment(), PORT: '0', ADMIN_API_KEY: ADMIN_KEY, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
  });
  running.add(child);
  let output = '';
  const watchers: Set<() => void> = new Set();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      tell();
    });
  }
  const exited: Promise<number | null> = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
      tell();
    });
  });
  exited.catch(() => {});
  const log = (): LogLine[] =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  /** Resolves with the first log line of the event; rejects when the process ends before. */
  const saw = (event: string) =>
    new Promise((resolve: (line: LogLine) => void, reject) => {
      const look = () => {
        const line = log().find((candidate) => candidate.event === event);
        if (line !== undefined) resolve(line);
        else if (!running.has(child)) reject(new Error(`the server ended without it: ${output}`));
        else return;
        watchers.delete(look);
      };
      watchers.add(look);
      child.once('error', reject);
      look();
    });
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    log,
    saw,
    /** Resolves with the exit code; null after a signal. */
    exited,
    isRunning: () => running.has(child),
    /** Sends the signal and resolves with the exit code once the process is gone. */
    end(signal: NodeJS.Signals) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts a server and resolves, with its origin, when it listens. */
export async function startService(options: ServiceOptions) {
  const service = spawnService(options);
  const { address } = await service.saw('started');
  return { ...service, origin: String(address) };
}
