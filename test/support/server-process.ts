// The built server and preview as processes of a test or a trial.

import { fileURLToPath } from 'node:url';
import { type Environment, startProgram } from './program.js';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));
const PREVIEW = fileURLToPath(new URL('../../dist/preview.js', import.meta.url));

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface LaunchOptions {
  readonly args?: readonly string[];
  /** A command that runs the command in its arguments, such as a tracer. */
  readonly under?: readonly string[] | undefined;
}

export type ServerProcess = Awaited<ReturnType<typeof startServer>>;

/** Starts a server process, which may fail to start. */
export function spawnServer(
  environment: Environment,
  { args = [], under = [] }: LaunchOptions = {},
) {
  const program = startProgram([...under, process.execPath, SERVER, ...args], {
    environment: { PORT: '0', ...environment },
  });
  /** The parsed lines of the output. Throws if a line is not JSON. */
  const log = (): LogLine[] =>
    (program.output().match(/.+/g) ?? []).map((line) => JSON.parse(line));
  return {
    ...program,
    log,
    /** Whether the log has the event. A tracer prints between its lines, and a kill may cut the last. */
    hasLogged: (event: string) => program.output().includes(`"event":"${event}"`),
    /** Resolves with its origin when it listens. */
    listening: () => program.saw(/"event":"started".*"address":"([^"]+)"/),
  };
}

/** Starts the server and resolves when it listens. */
export async function startServer(environment: Environment, options?: LaunchOptions) {
  const server = spawnServer(environment, options);
  return { ...server, origin: await server.listening() };
}

/** Spawns a preview, as `npm start` does, with its data in the folder. It may fail to start. */
export function spawnPreview(folder: string, environment: Environment = {}) {
  return startProgram([process.execPath, PREVIEW], {
    cwd: folder,
    environment: { PORT: '0', CONSOLE_PORT: '0', OPS_PORT: '0', ...environment },
  });
}

/** Starts a preview and resolves when it has printed everything. */
export async function startPreview(folder: string, environment?: Environment) {
  const preview = spawnPreview(folder, environment);
  await preview.saw('admin/overview');
  return preview;
}
