// The progress of a command: on a terminal a bar with rate and remaining time, elsewhere
// a JSON line every five seconds.

import { SingleBar } from 'cli-progress';
import type { CommandDependencies } from './command-dependencies.js';

const LINE_EVERY_MS = 5_000;

export interface Progress {
  /** Adds to the number that is done. */
  add(count?: number): void;
  stop(): void;
}

/** `total`: the number of things, including those `done` before this run. `noun`: their name, such as `rows`. */
export function startProgress(
  { isTerminal, err, now, progressed }: CommandDependencies,
  { event, noun, total, done = 0 }: { event: string; noun: string; total: number; done?: number },
): Progress {
  const begun = now();
  let count = done;
  const figures = () => {
    const seconds = (now() - begun) / 1000;
    const rate = seconds === 0 ? 0 : (count - done) / seconds;
    return { rate: Math.round(rate), left: rate === 0 ? null : Math.ceil((total - count) / rate) };
  };
  if (isTerminal) {
    const bar = new SingleBar({
      format: ` {bar} {percentage}% | {value}/{total} ${noun} | {rate} ${noun}/s | {left} s left`,
      stream: process.stderr,
      hideCursor: false,
      clearOnComplete: false,
    });
    const payload = () => ({ rate: figures().rate, left: figures().left ?? '?' });
    bar.start(total, done, payload());
    return {
      add(more = 1) {
        count += more;
        bar.update(count, payload());
      },
      stop: () => bar.stop(),
    };
  }
  const timer = setInterval(() => {
    const { rate, left } = figures();
    const line = { event, done: count, total, [`${noun}_a_second`]: rate, seconds_left: left };
    err(`${JSON.stringify(line)}\n`);
  }, LINE_EVERY_MS);
  timer.unref();
  return {
    add(more = 1) {
      count += more;
      progressed?.(event, count, total);
    },
    stop: () => clearInterval(timer),
  };
}
