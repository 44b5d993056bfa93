// Does the work of systemd for a service with a socket unit: holds the listening socket,
// hands it over as descriptor 3, and starts the service again whenever it ends.

import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './bare-environment.js';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

/** `$$` stays the same over `exec`: the service is the process that LISTEN_PID names. */
const ONE_LIFE = 'echo "life $$"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"';
const SUPERVISE = `trap 'ended=1' TERM; while [ -z "$ended" ]; do sh -c '${ONE_LIFE}' "$@"; done`;

export interface HeldService {
  readonly origin: string;
  /** Resolves when the service has said this many times that it has started. */
  started(times: number): Promise<void>;
  output(): string;
  /** Sends a signal to the service itself, which is started again. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Ends the service and closes the socket. */
  close(): Promise<void>;
}

export async function holdService(
  environment: Readonly<Record<string, string>>,
  server = SERVER,
): Promise<HeldService> {
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', 4_096, resolve));
  const { port } = socket.address() as AddressInfo;
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  const supervisor = spawn('sh', ['-c', SUPERVISE, 'supervisor', process.execPath, server], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe', fd],
  });
  // From here on the supervisor has the socket. This process must accept no connection.
  await new Promise<void>((resolve) => void socket.close(() => resolve()));
  let text = '';
  for (const stream of [supervisor.stdout, supervisor.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  const exited = new Promise<void>((resolve) => supervisor.once('close', () => resolve()));
  const countOf = (wanted: string) => text.split(wanted).length - 1;
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    const pid = Number([...text.matchAll(/^life (\d+)$/gm)].at(-1)?.[1]);
    process.kill(pid, name);
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    async started(times) {
      while (countOf('"event":"started"') < times) {
        if (supervisor.exitCode !== null || /start_failed/.test(text)) throw new Error(text);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    output: () => text,
    signal,
    async close() {
      supervisor.kill('SIGTERM');
      signal('SIGKILL');
      await exited;
    },
  };
}
