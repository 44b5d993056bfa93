// Reads a password from standard input; a terminal doesn't echo it.

import { createInterface } from 'node:readline';
import { Interrupted } from '../program/command.js';

/** Resolves with the first line. Rejects if there is none; with `Interrupted` after Ctrl-C. */
export async function readPassword(): Promise<string> {
  const { stdin: input, stderr } = process;
  // Without an output, readline doesn't echo.
  const lines = createInterface({ input, terminal: input.isTTY });
  if (input.isTTY) stderr.write('Password: ');
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('line', resolve);
      lines.on('SIGINT', () => reject(new Interrupted('stopped; no hash was printed')));
      lines.on('close', () => reject(new Error('no password was given; type one, or pipe it in')));
    });
  } finally {
    lines.close();
    if (input.isTTY) stderr.write('\n');
  }
}
