// A line to a TCP port that a trial can hold, cut, delay and lead elsewhere, as a network does.

import { connect, createServer, type Socket } from 'node:net';
import { onLoopback } from './loopback.js';

/**
 * `held`: bytes wait, both ways, until the line is `open` again. `late`: the same, and what was sent
 * arrives then even from a sender that has closed its connection. `cut`: connections end, and none
 * is made.
 */
export type LineState = 'open' | 'held' | 'late' | 'cut';

export type Line = Awaited<ReturnType<typeof openLine>>;

/** How long a server has for what was delivered late before its connection is closed. */
const DELIVERED_MS = 500;

/** `target`: the port where it leads to, on this machine. */
export async function openLine(target: number) {
  let state: LineState = 'open';
  const pairs = new Set<Pair>();
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const pair = new Pair(near, connect(target, '127.0.0.1'), () => pairs.delete(pair));
    pairs.add(pair);
    pair.set(state);
  });
  const { port, close } = await onLoopback(server);
  const set = (next: LineState) => {
    state = next;
    for (const pair of pairs) pair.set(next);
  };
  return {
    port,
    set,
    /** Later connections go to this port. */
    leadTo(next: number) {
      target = next;
    },
    close() {
      for (const pair of pairs) pair.set('cut');
      return close();
    },
  };
}

class Pair {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #onEnd: () => void;
  #state: LineState = 'open';
  /** What the near side sent while the line was late. */
  #late: Buffer[] = [];

  constructor(near: Socket, far: Socket, onEnd: () => void) {
    this.#near = near;
    this.#far = far;
    this.#onEnd = onEnd;
    near.on('data', (bytes) => {
      if (this.#state === 'late') this.#late.push(bytes);
      else far.write(bytes);
    });
    far.on('data', (bytes) => near.write(bytes));
    near.on('end', () => this.#state !== 'late' && far.end());
    far.on('end', () => near.end());
    near.on('error', () => {});
    far.on('error', () => near.destroy());
    near.on('close', () => {
      if (this.#state !== 'late') this.#end();
    });
    far.on('close', () => this.#end());
  }

  set(state: LineState): void {
    this.#state = state;
    if (state === 'cut') this.#end();
    if (state === 'open') this.#deliver();
    if (state === 'held') this.#near.pause();
    else this.#near.resume();
    if (state === 'open') this.#far.resume();
    else this.#far.pause();
  }

  #deliver(): void {
    for (const bytes of this.#late) this.#far.write(bytes);
    this.#late = [];
    if (this.#near.destroyed) setTimeout(() => this.#end(), DELIVERED_MS);
  }

  #end(): void {
    this.#near.destroy();
    this.#far.destroy();
    this.#onEnd();
  }
}
