// A line that nobody else shall read: on a terminal it is not shown.

import type { ReadStream, WriteStream } from 'node:tty';
import { Interrupted } from '../program/ending.js';

const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';
const BACKSPACE = /[\b\u007f]/;

/** Resolves with the first line. Rejects with an Error of one sentence where the input ends, an `Interrupted` at Ctrl-C. */
export async function readSecretLine(
  input: ReadStream,
  output: WriteStream,
  prompt: string,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  if (isTerminal) {
    output.write(prompt);
    input.setRawMode(true);
  }
  input.setEncoding('utf8');
  try {
    let line = '';
    for await (const chunk of input as AsyncIterable<string>) {
      for (const character of chunk) {
        if (character === '\n' || character === '\r') return line;
        if (isTerminal && character === INTERRUPT)
          throw new Interrupted('stopped: no hash was made');
        if (isTerminal && character === END_OF_INPUT) return line;
        if (isTerminal && BACKSPACE.test(character)) line = [...line].slice(0, -1).join('');
        else line += character;
      }
    }
    if (line !== '') return line;
    throw new Error('no password was given; type one, or send it on standard input');
  } finally {
    if (isTerminal) {
      input.setRawMode(false);
      output.write('\n');
    }
    input.destroy();
  }
}
