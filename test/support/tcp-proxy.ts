// A TCP proxy that a test can stall, delay, cut and redirect, as a network does.

import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from './listen.js';

/**
 * `stalled`: bytes wait in both directions until the state is `open` again. `delayed`: the same, and what
 * a client sent arrives then even if the client has closed its connection. `cut`: connections are
 * reset, and new ones are refused.
 */
export type TcpProxyState = 'open' | 'stalled' | 'delayed' | 'cut';

export type TcpProxy = Awaited<ReturnType<typeof openTcpProxy>>;

/** How long a server has to handle late bytes before its connection is closed. */
const DELIVERED_MS = 500;

/**
 * `target`: the port on this machine that it forwards to. `onBytes`: gets the bytes from there, and
 * may change them in place.
 */
export async function openTcpProxy(target: number, onBytes: (bytes: Buffer) => void = () => {}) {
  let state: TcpProxyState = 'open';
  const pairs = new Set<(state: TcpProxyState) => void>();
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(target, '127.0.0.1');
    far.on('data', onBytes);
    const setPair = joined(near, far);
    pairs.add(setPair);
    far.on('close', () => pairs.delete(setPair));
    setPair(state);
  });
  const { port, close } = await listenLocally(server);
  const set = (next: TcpProxyState) => {
    state = next;
    for (const setPair of pairs) setPair(next);
  };
  return {
    port,
    set,
    /** Later connections go to this port. */
    setTarget(next: number) {
      target = next;
    },
    close() {
      set('cut');
      return close();
    },
  };
}

/** Passes bytes between two sockets. Returns the function that sets the state between them. */
function joined(near: Socket, far: Socket): (state: TcpProxyState) => void {
  let state: TcpProxyState = 'open';
  /** What the near side sent while the line was delayed. */
  let late: Buffer[] = [];
  const end = () => {
    near.destroy();
    far.destroy();
  };
  near.on('data', (bytes) => (state === 'delayed' ? late.push(bytes) : far.write(bytes)));
  far.on('data', (bytes) => near.write(bytes));
  near.on('end', () => state !== 'delayed' && far.end());
  far.on('end', () => near.end());
  near.on('error', () => {});
  far.on('error', end);
  near.on('close', () => state !== 'delayed' && end());
  far.on('close', end);
  return (next) => {
    state = next;
    if (state === 'cut') end();
    if (state === 'open') {
      for (const bytes of late) far.write(bytes);
      late = [];
      if (near.destroyed) setTimeout(end, DELIVERED_MS);
    }
    near[state === 'stalled' ? 'pause' : 'resume']();
    far[state === 'open' ? 'resume' : 'pause']();
  };
}
