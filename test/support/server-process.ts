// `node dist/server.js` as a process of a test.

import { fileURLToPath } from 'node:url';
import { type Environment, type Program, startProgram } from './program.js';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

/** A server that may fail to start. */
export interface SpawnedServer extends Program {
  /** The parsed lines of the output. Throws if a line is not JSON. */
  log(): LogLine[];
}

export interface ServerProcess extends SpawnedServer {
  readonly origin: string;
}

/**
 * Starts a server process, which may fail to start. `launcher`: a command that runs the
 * command in its arguments. `options`: the server's own.
 */
export function spawnServer(
  environment: Environment,
  script = SERVER,
  launcher: readonly string[] = [],
  options: readonly string[] = [],
): SpawnedServer {
  const program = startProgram([...launcher, process.execPath, script, ...options], {
    environment: { PORT: '0', ...environment },
  });
  const log = (): LogLine[] =>
    program
      .output()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { ...program, log };
}

/** Starts the server and resolves when it listens. */
export async function startServer(...how: Parameters<typeof spawnServer>): Promise<ServerProcess> {
  const server = spawnServer(...how);
  await server.saw('"event":"started"');
  const started = server.log().find(({ event }) => event === 'started');
  return { ...server, origin: String(started?.['address']) };
}
