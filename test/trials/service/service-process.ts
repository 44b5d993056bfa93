// `node dist/server.js` for trials that kill it, trace it or let its start fail. No process
// is left behind, even when the trial fails.

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { killAll } from '../../../scripts/bench/processes.js';
import { root } from '../../../scripts/root.js';
import {
  type How,
  type LogLine,
  spawnServer as spawnTestServer,
} from '../../support/server-process.js';

const UNIT = readFileSync(join(root, 'scripts/operations/service-management.service'), 'utf8');
/** Node's options in the unit: every trial starts the service as an operator does. */
const UNIT_OPTIONS = /^Environment=NODE_OPTIONS=.*$/m.exec(UNIT)?.[0].match(/--\S+/g) ?? [];
export const ADMIN_KEY = 'operator-of-the-trials-0123456789-abcdef';

export interface ProcessOptions extends How {
  /** Settings in addition to a free port and the operator's key. */
  readonly environment: Readonly<Record<string, string>>;
}

/** `file` is the database. */
export type ServiceOptions = Omit<ProcessOptions, 'environment'> & {
  file: string;
  identityOrigin: string;
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
export function spawnServer({ environment, nodeOptions = [], ...how }: ProcessOptions) {
  const program = spawnTestServer(
    { ADMIN_API_KEY: ADMIN_KEY, ...environment },
    { ...how, nodeOptions: [...UNIT_OPTIONS, ...nodeOptions] },
  );
  const { child, output, exited } = program;
  running.add(child);
  child.once('close', () => running.delete(child));
  return {
    child,
    pid: child.pid ?? 0,
    output,
    /** The whole lines of the log: a tracer prints its own, and a killed server half a line. */
    log: (): LogLine[] =>
      output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line)),
    /** Resolves with the first log line of the event; rejects when the process ends before. */
    async saw(event: string): Promise<LogLine> {
      const line = await program.saw(new RegExp(`^(\\{.*"event":"${event}".*\\})\\n`, 'm'));
      return JSON.parse(line);
    },
    /** Resolves with the exit code; null after a signal. */
    exited,
    isRunning: () => running.has(child),
    /** Sends the signal and resolves with the exit code once the process is gone. */
    end: (signal: NodeJS.Signals) => program.stop(signal),
  };
}

/** Starts a server and resolves, with its origin, when it listens. */
export async function startService(options: ServiceOptions) {
  const service = spawnService(options);
  const { address } = await service.saw('started');
  return { ...service, origin: String(address) };
}
