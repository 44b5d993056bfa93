// The parts that a command gets in a terminal: the process's streams, and Ctrl-C, which
// ends the work and not the process.

import { randomBytes } from 'node:crypto';
import type { CommandDependencies } from './command-dependencies.js';
import { EXIT_INTERRUPTED } from './failures.js';

/** The terminal sends a signal to npm and to this process, and npm passes it on: two signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

/** Takes over the process's signals: once a process. */
export function terminal(): CommandDependencies {
  // If the reader of the output has gone, such as `head`, the work goes on.
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
        // A second Ctrl-C ends the process at once.
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
