// `node dist/data.js import|export|erase`: data in and out, over HTTP.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EXIT_INTERRUPTED } from './data/failures.js';
import { runCommand } from './data/run-command.js';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second time there is nothing to wait for any more.
    if (interruption.signal.aborted) process.exit(EXIT_INTERRUPTED);
    process.stderr.write('\nstopping: what is under way ends first\n');
    interruption.abort();
  });
}
// A reader that has gone, such as `head`, is no failure of the work.
process.stdout.on('error', () => {});

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  interrupted: interruption.signal,
  now: Date.now,
  randomBytes,
  version,
});
