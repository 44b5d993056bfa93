// Does the work of systemd for a service with a socket unit: holds the listening socket,
// hands it over as descriptor 3, and starts the service again whenever it ends.

import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../support/program.js';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

/** `$$` stays the same over `exec`: the service is the process that LISTEN_PID names. */
const ONE_LIFE = 'echo "life $$"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"';
const SUPERVISE = `trap 'ended=1' TERM; while [ -z "$ended" ] && kill -0 "$PPID"; do sh -c '${ONE_LIFE}' "$@"; done`;

export type HeldService = Awaited<ReturnType<typeof holdService>>;

export async function holdService(environment: Readonly<Record<string, string>>) {
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', 4_096, resolve));
  const { port } = socket.address() as AddressInfo;
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  const command = ['sh', '-c', SUPERVISE, 'supervisor', process.execPath, SERVER];
  const supervisor = startProgram(command, { environment, third: fd });
  // From here on the supervisor has the socket. This process must accept no connection.
  await new Promise<void>((resolve) => void socket.close(() => resolve()));
  /** Sends a signal to the service itself, which is started again. */
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    const pid = Number([...supervisor.output().matchAll(/^life (\d+)$/gm)].at(-1)?.[1]);
    process.kill(pid, name);
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Resolves when the service has said this many times that it has started. */
    async started(times: number) {
      await Promise.race([
        supervisor.saw('"event":"started"', times),
        supervisor.saw('start_failed').then(() => Promise.reject(new Error(supervisor.output()))),
      ]);
    },
    output: supervisor.output,
    signal,
    /** Ends the service and closes the socket. */
    async close() {
      supervisor.child.kill('SIGTERM');
      signal('SIGKILL');
      await supervisor.exited;
    },
  };
}
