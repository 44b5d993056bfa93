// A TCP line to a port that a trial can hold, cut, delay and redirect, as a network does.

import { connect, createServer, type Socket } from 'node:net';
import { onLoopback } from './loopback.js';

/**
 * `held`: bytes wait, both ways, until the line is `open` again. `late`: the same, and what was sent
 * arrives then even from a sender that has closed its connection. `cut`: connections end, and none
 * is made.
 */
export type LineState = 'open' | 'held' | 'late' | 'cut';

export type Line = Awaited<ReturnType<typeof openLine>>;

/** How long a server has to handle late bytes before its connection is closed. */
const DELIVERED_MS = 500;

/** `target`: the port that it forwards to, on this machine. */
export async function openLine(target: number) {
  let state: LineState = 'open';
  const pairs = new Set<(state: LineState) => void>();
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(target, '127.0.0.1');
    const setPair = joined(near, far);
    pairs.add(setPair);
    far.on('close', () => pairs.delete(setPair));
    setPair(state);
  });
  const { port, close } = await onLoopback(server);
  const set = (next: LineState) => {
    state = next;
    for (const setPair of pairs) setPair(next);
  };
  return {
    port,
    set,
    /** Later connections go to this port. */
    leadTo(next: number) {
      target = next;
    },
    close() {
      set('cut');
      return close();
    },
  };
}

/** Passes bytes between two sockets. Returns the function that sets the state between them. */
function joined(near: Socket, far: Socket): (state: LineState) => void {
  let state: LineState = 'open';
  /** What the near side sent while the line was late. */
  let late: Buffer[] = [];
  const end = () => {
    near.destroy();
    far.destroy();
  };
  near.on('data', (bytes) => (state === 'late' ? late.push(bytes) : far.write(bytes)));
  far.on('data', (bytes) => near.write(bytes));
  near.on('end', () => state !== 'late' && far.end());
  far.on('end', () => near.end());
  near.on('error', () => {});
  far.on('error', end);
  near.on('close', () => state !== 'late' && end());
  far.on('close', end);
  return (next) => {
    state = next;
    if (state === 'cut') end();
    if (state === 'open') {
      for (const bytes of late) far.write(bytes);
      late = [];
      if (near.destroyed) setTimeout(end, DELIVERED_MS);
    }
    near[state === 'held' ? 'pause' : 'resume']();
    far[state === 'open' ? 'resume' : 'pause']();
  };
}
