// The parts that a command gets in a terminal: the process's streams, and Ctrl-C, which
// ends the work and not the process.

import { randomBytes } from 'node:crypto';
import { EXIT_INTERRUPTED } from '../program/ending.js';
import { outliveReaders, versionOf } from '../program/run-program.js';
import type { DataCommandDependencies } from './command-dependencies.js';

/** The terminal sends a signal to npm and to this process, and npm passes it on: two signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

/** Takes over the process's signals: once a process. `entry`: the program's own `import.meta.url`. */
export function terminal(entry: string): DataCommandDependencies {
  outliveReaders();
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    interrupted: interruptedBySignal(),
    now: Date.now,
    randomBytes,
    version: versionOf(entry),
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
