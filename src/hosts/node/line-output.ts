// Standard output for many lines, without blocking the event loop.

import { fstatSync, write } from 'node:fs';
import type { WriteLines } from '../operations/request-log.js';

const STANDARD_OUTPUT = 1;

/** Writes lines in batches, one batch at a time. If the reader has gone or the disk is full, only the lines are lost. */
export function standardOutputLines(): WriteLines {
  // Node writes to files synchronously, but not to pipes and sockets.
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
