// A line to a TCP port that a trial can hold, cut and lead elsewhere, as a network does.

import { connect, createServer, type Socket } from 'node:net';
import { onLoopback } from './loopback.js';

/** `held`: bytes wait, both ways, until the line is `open` again. `cut`: connections end, and none is made. */
export type LineState = 'open' | 'held' | 'cut';

export interface Line {
  readonly port: number;
  set(state: LineState): void;
  /** Later connections go to this port. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

/** `port`: where it leads to, on this machine. */
export async function openLine(port: number): Promise<Line> {
  let state: LineState = 'open';
  let target = port;
  const pairs = new Set<readonly [Socket, Socket]>();
  const put = (pair: readonly [Socket, Socket]) => {
    for (const socket of pair) {
      if (state === 'held') socket.pause();
      else if (state === 'cut') socket.destroy();
      else socket.resume();
    }
  };
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    put(pair);
  });
  const loopback = await onLoopback(server);
  return {
    port: loopback.port,
    set(next) {
      state = next;
      for (const pair of pairs) put(pair);
    },
    leadTo(next) {
      target = next;
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      return loopback.close();
    },
  };
}
