// Reads a password from standard input; a terminal doesn't echo it.

import { createInterface } from 'node:readline';
import { Interrupted } from '../program/command.js';

/** Resolves with the first line. Rejects with an Error of one sentence if there is none, an `Interrupted` at Ctrl-C. */
export async function readPassword(): Promise<string> {
  const { stdin: input, stderr } = process;
  // Without an output, readline echoes nothing.
  const lines = createInterface({ input, terminal: input.isTTY });
  if (input.isTTY) stderr.write('Password: ');
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('line', resolve);
      lines.on('SIGINT', () => reject(new Interrupted('stopped: no hash was made')));
      lines.on('close', () => reject(new Error('no password was given; type one, or send it')));
    });
  } finally {
    lines.close();
    if (input.isTTY) stderr.write('\n');
  }
}
