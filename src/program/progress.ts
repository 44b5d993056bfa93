// The progress of a command: on a terminal a bar with rate and remaining time.

import { SingleBar } from 'cli-progress';
import type { CommandDependencies } from './command-dependencies.js';

export interface Progress {
  /** Adds to the number that is done. */
  add(count?: number): void;
  stop(): void;
}

/** `total`: the number of things, including those `done` before this run. `noun`: their name, such as `rows`. */
export function startProgress(
  { isTerminal, now, progressed }: CommandDependencies,
  { event, noun, total, done = 0 }: { event: string; noun: string; total: number; done?: number },
): Progress {
  const begun = now();
  let count = done;
  const figures = () => {
    const rate = (1000 * (count - done)) / Math.max(now() - begun, 1);
    return { rate: Math.round(rate), left: rate === 0 ? '?' : Math.ceil((total - count) / rate) };
  };
  const bar = new SingleBar({
    format: ` {bar} {percentage}% | {value}/{total} ${noun} | {rate} ${noun}/s | {left} s left`,
    stream: process.stderr,
    hideCursor: false,
    clearOnComplete: false,
  });
  if (isTerminal) bar.start(total, done, figures());
  return {
    add(more = 1) {
      count += more;
      if (isTerminal) bar.update(count, figures());
      progressed?.(event, count, total);
    },
    stop: () => bar.stop(),
  };
}
