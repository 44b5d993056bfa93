// The progress of a command: on a terminal, one line with rate and remaining time.

import type { CommandDependencies } from './command-dependencies.js';

const REDRAW_MS = 100;
/** To the line's beginning, erasing it. */
const AFRESH = '\r\u001b[K';

export interface Progress {
  /** Adds to the number of finished things. */
  add(count?: number): void;
  stop(): void;
}

/** `total`: the number of things, including those `done` before this run. `noun`: their name, such as `rows`. */
export function startProgress(
  { isTerminal, now, err, progressed }: CommandDependencies,
  { event, noun, total, done = 0 }: { event: string; noun: string; total: number; done?: number },
): Progress {
  const begun = now();
  let count = done;
  let drawnAt = begun;
  const draw = () => {
    drawnAt = now();
    const rate = (1000 * (count - done)) / Math.max(drawnAt - begun, 1);
    const percent = total === 0 ? 100 : Math.floor((100 * count) / total);
    const left = rate === 0 ? '' : `, ${Math.ceil((total - count) / rate)} s left`;
    err(`${AFRESH}${percent}%, ${count} of ${total} ${noun}, ${Math.round(rate)} a second${left}`);
  };
  if (isTerminal) draw();
  return {
    add(more = 1) {
      count += more;
      if (isTerminal && now() - drawnAt >= REDRAW_MS) draw();
      progressed?.(event, count, total);
    },
    stop() {
      if (!isTerminal) return;
      draw();
      err('\n');
    },
  };
}
