// Standard output for many lines, without ever making the event loop wait.

import { fstatSync, write } from 'node:fs';
import type { WriteLines } from '../operations/request-log.js';

const STANDARD_OUTPUT = 1;

/** Hands lines over one batch at a time. A reader that has gone, or a full disk, costs the lines and nothing more. */
export function standardOutputLines(): WriteLines {
  // Node writes to files while everything else waits; to pipes and sockets it does not.
  return isFile() ? writeToFile : writeToStream;
}

function writeToFile(lines: string): Promise<void> {
  return new Promise((resolve) => {
    write(STANDARD_OUTPUT, lines, () => resolve());
  });
}

function writeToStream(lines: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(lines, () => resolve());
  });
}

function isFile(): boolean {
  try {
    return fstatSync(STANDARD_OUTPUT).isFile();
  } catch {
    return false;
  }
}
