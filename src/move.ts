// `node dist/move.js`, which is `npm run move`: accounts from a database file to
// Workers, and back into a new file.

import { randomBytes } from 'node:crypto';
import { EXIT_INTERRUPTED } from './data/failures.js';
import { runMove } from './move/run-move.js';

/** npm passes a signal on that the terminal has sent to this process, too: these two are one. */
const SAME_SIGNAL_MS = 1_000;

const interruption = new AbortController();
let interruptedAt = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) {
      if (performance.now() - interruptedAt > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
      return;
    }
    interruptedAt = performance.now();
    process.stderr.write('\nstopping: what is under way ends first\n');
    interruption.abort();
  });
}
// One that nobody listens for makes Node open its debugger, to every program of this machine.
process.on('SIGUSR1', () => {});

process.exitCode = await runMove(process.argv.slice(2), {
  environment: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  interrupted: interruption.signal,
  now: Date.now,
  randomBytes,
  version: '',
});
