// What a command gets in a terminal: the process's streams, and the signals that end it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Call } from './command.js';

/** The terminal sends a signal to npm and to this process, and npm passes it on: two signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

/** Once a process. `entry`: the program's own `import.meta.url`. */
export function terminal(entry: string): Call {
  // If the reader of the output has gone, such as `head`, the work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Without a listener it makes Node open its debugger, to every program of this machine.
  process.on('SIGUSR1', () => {});
  const err = (text: string) => void process.stderr.write(text);
  const interruption = new AbortController();
  const stop = () => {
    err('\nstopping: finishing what is under way\n');
    interruption.abort();
  };
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err,
    isTerminal: process.stderr.isTTY === true,
    interrupted: interruption.signal,
    listen: () => onFirstSignal(stop),
    now: Date.now,
    randomBytes,
    version: JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version,
  };
}

/** Calls at the first Ctrl-C or SIGTERM, instead of the end of the process; a later one ends it at once. */
export function onFirstSignal(stop: () => void): void {
  let isFirst = true;
  const listener = () => {
    if (isFirst) stop();
    if (isFirst) setTimeout(off, SAME_SIGNAL_MS).unref();
    isFirst = false;
  };
  const off = () => process.off('SIGINT', listener).off('SIGTERM', listener);
  process.on('SIGINT', listener).on('SIGTERM', listener);
}
