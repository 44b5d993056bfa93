// The progress of a command: on a terminal, one line.

import type { CommandDependencies } from './command-dependencies.js';

export type Progress = ReturnType<typeof startProgress>;

/** `noun`: the name of the things, such as `rows`. `done`: those of the total that an earlier run did. */
export function startProgress(
  { isTerminal, err, progressed }: CommandDependencies,
  { event, noun, total, done = 0 }: { event: string; noun: string; total: number; done?: number },
) {
  let count = done;
  return {
    add(more = 1): void {
      count += more;
      if (isTerminal) err(`\r${count} of ${total} ${noun}`);
      progressed?.(event, count, total);
    },
    stop: () => (isTerminal ? err('\n') : undefined),
  };
}
