// What a command gets in a terminal: the process's streams, and the signals that end it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Command } from './command.js';
import type { CommandDependencies } from './command-dependencies.js';
import { EXIT_INTERRUPTED } from './ending.js';

/** The terminal sends a signal to npm and to this process, and npm passes it on: two signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

/** Takes over the process's signals: once a process. `entry`: the program's own `import.meta.url`. */
export function terminal(entry: string, command?: Command): CommandDependencies {
  // If the reader of the output has gone, such as `head`, the work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Without a listener it makes Node open its debugger, to every program of this machine.
  process.on('SIGUSR1', () => {});
  // Most objects are short-lived: without this, V8 lets them grow to 48 MB
  // before it collects. Measured: 123 MB instead of 165 for 200,000 records, as quick.
  if (command?.isFrugal) setFlagsFromString('--semi-space-growth-factor=1');
  const err = (text: string) => void process.stderr.write(text);
  const stops: Readonly<Record<string, () => void>> = {
    orderly: () => err('\nstopping: finishing what is under way\n'),
    'at once': () => {
      err('\nstopped\n');
      process.exit(EXIT_INTERRUPTED);
    },
  };
  const stop = stops[command?.ending ?? 'at once'];
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err,
    isTerminal: process.stderr.isTTY === true,
    interrupted: stop === undefined ? new AbortController().signal : interruptedBySignal(stop),
    now: Date.now,
    randomBytes,
    // The release that a built file belongs to.
    version: JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version,
  };
}

/** Aborted by the first Ctrl-C or SIGTERM, which ends the work and not the process; a second one ends the process at once. */
export function interruptedBySignal(stopping: () => void): AbortSignal {
  const interruption = new AbortController();
  let interruptedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) {
        if (performance.now() - interruptedAt > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
        return;
      }
      interruptedAt = performance.now();
      stopping();
      interruption.abort();
    });
  }
  return interruption.signal;
}
