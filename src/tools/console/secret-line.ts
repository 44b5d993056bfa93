// Reads a secret; a terminal doesn't echo it.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { Interrupted } from '../program/command.js';

/** Resolves with the first line. Rejects with an Error of one sentence if there is none, an `Interrupted` at Ctrl-C. */
export async function readSecretLine(
  input: ReadStream,
  output: WriteStream,
  prompt: string,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: isTerminal });
  if (isTerminal) output.write(prompt);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('line', resolve);
      lines.on('SIGINT', () => reject(new Interrupted('stopped: no hash was made')));
      lines.on('close', () => reject(new Error('no password was given; type one, or send it')));
    });
  } finally {
    lines.close();
    if (isTerminal) output.write('\n');
  }
}
