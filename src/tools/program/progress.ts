// The progress of a command: on a terminal, one line.

import type { CommandDependencies } from './command-dependencies.js';

const REDRAW_MS = 100;

/** `add`: counts finished things. */
export type Progress = ReturnType<typeof startProgress>;

/** `total`: the number of things, including those `done` before this run. `noun`: their name, such as `rows`. */
export function startProgress(
  { isTerminal, now, err, progressed }: CommandDependencies,
  { event, noun, total, done = 0 }: { event: string; noun: string; total: number; done?: number },
) {
  let [count, drawnAt] = [done, Number.NEGATIVE_INFINITY];
  const draw = (end = '') => {
    if (!isTerminal || (end === '' && now() - drawnAt < REDRAW_MS)) return;
    drawnAt = now();
    // To the line's beginning, erasing it.
    err(
      `\r\u001b[K${Math.floor((100 * count) / Math.max(total, 1))}%, ${count} of ${total} ${noun}${end}`,
    );
  };
  draw();
  return {
    add(more = 1): void {
      count += more;
      draw();
      progressed?.(event, count, total);
    },
    stop: () => draw('\n'),
  };
}
