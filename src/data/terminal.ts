// What a command gets from the process that an operator runs it in: its streams,
// and Ctrl-C, which ends the work and not the process.

import { randomBytes } from 'node:crypto';
import { EXIT_INTERRUPTED } from './failures.js';
import type { Surroundings } from './surroundings.js';

/** npm passes a signal on that the terminal has sent to this process, too: these two are one. */
const SAME_SIGNAL_MS = 1_000;

/** Takes over the process's signals: once a process. */
export function terminal(): Surroundings {
  // A reader that has gone, such as `head`, is no failure of the work.
  process.stdout.on('error', () => {});
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    interrupted: interruptedBySignal(),
    now: Date.now,
    randomBytes,
  };
}

function interruptedBySignal(): AbortSignal {
  const interruption = new AbortController();
  let interruptedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) {
        // The second time there is nothing to wait for any more.
        if (performance.now() - interruptedAt > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
        return;
      }
      interruptedAt = performance.now();
      process.stderr.write('\nstopping: what is under way ends first\n');
      interruption.abort();
    });
  }
  return interruption.signal;
}
