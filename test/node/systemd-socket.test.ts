// A listening socket that outlives the service: restarts refuse no connection.

import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { systemdSocket } from '../../src/hosts/node/systemd-socket.js';
import { asAccount } from '../support/identity-stub.js';
import { nodeService } from '../support/node-service.js';
import { startProgram } from '../support/program.js';
import { openRaw, requestText } from '../support/raw-http.js';
import { clientOf } from '../trials/service/client.js';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));
/** `$$` stays the same over `exec`: the service is the process that LISTEN_PID names. */
const ONE_LIFE = 'echo "life $$"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"';
const SUPERVISE = `trap 'ended=1' TERM; while [ -z "$ended" ] && kill -0 "$PPID"; do sh -c '${ONE_LIFE}' "$@"; done`;

const RESTARTS = 3;
const CLIENTS = 4;
const CUSTOMERS = '/api/v1/customers';
const OWNER = asAccount('amina');
const CREATION = { method: 'POST', body: '{"name":"Neema","phone":"1"}' };

const service = nodeService();

/**
 * Acts as systemd for a service with a socket unit: holds the listening socket, passes it as
 * descriptor 3, and restarts the service whenever it ends.
 */
async function superviseService() {
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', 4_096, resolve));
  const { port } = socket.address() as AddressInfo;
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  // HOST isn't on this machine, because the socket's own address counts.
  const environment = { ...service.environment, HOST: '203.0.113.1' };
  const command = ['sh', '-c', SUPERVISE, 'supervisor', process.execPath, SERVER];
  const supervisor = startProgram(command, { environment, third: fd });
  // From now on, the supervisor has the socket. This process must accept no connection.
  await new Promise<void>((resolve) => void socket.close(() => resolve()));
  /** Sends a signal to the service itself, which is started again. */
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    const pid = Number([...supervisor.output().matchAll(/^life (\d+)$/gm)].at(-1)?.[1]);
    process.kill(pid, name);
  };
  const close = async () => {
    supervisor.child.kill('SIGTERM');
    signal('SIGKILL');
    await supervisor.exited;
  };
  return { ...supervisor, origin: `http://127.0.0.1:${port}`, signal, close };
}

it('A socket is not used if it was passed to another process, and must be the only one', () => {
  for (const LISTEN_PID of ['41', undefined]) {
    expect(systemdSocket({ LISTEN_FDS: '1', LISTEN_PID }, 42)).toBeUndefined();
  }
  for (const LISTEN_FDS of ['0', '2', 'x']) {
    const handed = () => systemdSocket({ LISTEN_FDS, LISTEN_PID: '42' }, 42);
    expect(handed).toThrow('it must be 1: put one ListenStream= into the socket unit');
  }
});

it('A descriptor that is not a listening socket fails the start', async () => {
  const under = ['sh', '-c', 'LISTEN_PID=$$ exec "$@" 3</dev/null', 'launcher'];
  await expect(service.start({ LISTEN_FDS: '1' }, { under })).rejects.toThrow(
    'descriptor 3 is not a listening TCP socket',
  );
});

it('Across restarts no request fails, and every acknowledged record is kept', async () => {
  const { origin, saw, signal, close } = await superviseService();
  let [isOver, answered, failed] = [false, 0, 0];
  const acknowledged: string[] = [];
  /** One connection at a time; every other client has a new one for each request. */
  const createAll = async (number: number) => {
    const headers = { ...OWNER, ...(number % 2 === 0 && { Connection: 'close' }) };
    while (!isOver) {
      const answer = await fetch(origin + CUSTOMERS, { ...CREATION, headers }).catch(() => {});
      answered++;
      if (answer?.status === 201) acknowledged.push((await answer.json()).data.id);
      else failed++;
    }
  };
  try {
    await saw('"event":"socket_handed_over"');
    const all = Promise.all(Array.from({ length: CLIENTS }, (_, number) => createAll(number)));
    for (let end = 1; end <= RESTARTS; end++) {
      const before = answered;
      while (answered < before + 20) await delay(5);
      signal('SIGTERM');
      await saw('"event":"started"', end + 1);
    }
    isOver = true;
    await all;
    expect(failed).toBe(0);
    const rows = await clientOf(origin).all<{ id: string }>('/customers', 'amina');
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(acknowledged));
    // A request may be on its way on an idle connection, which therefore stays open for a moment.
    const idle = openRaw(origin, requestText('GET', '/api/v1/health'));
    await idle.until(({ answers }) => answers().length === 1);
    const signalled = performance.now();
    signal('SIGTERM');
    await idle.over;
    // The moment is a second; timers may fire a little early by this process's clock.
    expect(performance.now() - signalled).toBeGreaterThan(900);
  } finally {
    await close();
  }
});
