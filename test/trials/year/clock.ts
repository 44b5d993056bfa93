// The clock of a machine whose days pass at once. The built server runs under libfaketime, which
// reads the file of the clock at every call: the time of day and the monotonic clock jump together,
// so timers that are due within a day fire, as they would if the day had passed.

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '../../../src/core/domain/hour.js';

export const DAY_MS = 24 * HOUR_MS;

/** Where Debian's package libfaketime has it, by the machine's architecture. */
const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
);

export function fakeTimeLibrary(): string | undefined {
  return LIBRARIES.find((path) => existsSync(path));
}

/** For a process whose clocks are off by what the file says, such as `+3600` seconds. */
export function fakedTime(library: string, path: string): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: path,
    FAKETIME_NO_CACHE: '1',
    // The times of files are real: only their order counts.
    NO_FAKE_STAT: '1',
  };
}

export class Clock {
  readonly #folder: string;
  readonly #library: string | undefined;
  #aheadMs = 0;
  #files = 0;

  /** Without a library the clock is the machine's, and no day passes. */
  constructor(folder: string, library: string | undefined) {
    this.#folder = folder;
    this.#library = library;
    this.#write(this.#path(), 0);
  }

  get isMovable(): boolean {
    return this.#library !== undefined;
  }

  /** Milliseconds since 1970, UTC. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Every process with the environment of this clock sees the later time at once. */
  pass(milliseconds: number): void {
    this.#aheadMs += milliseconds;
    this.#write(this.#path(), this.#aheadMs);
  }

  /** For a process that runs by this clock. */
  get environment(): Record<string, string> {
    return this.#environment(this.#path());
  }

  /** For one process whose clock is wrong by so many days. */
  wrongBy(days: number): Record<string, string> {
    const path = join(this.#folder, `clock-wrong-${++this.#files}`);
    this.#write(path, this.#aheadMs + days * DAY_MS);
    return this.#environment(path);
  }

  #environment(path: string): Record<string, string> {
    return this.#library === undefined ? {} : fakedTime(this.#library, path);
  }

  #path(): string {
    return join(this.#folder, 'clock');
  }

  /** In one step: a process reads the old time or the new one. */
  #write(path: string, aheadMs: number): void {
    writeFileSync(`${path}.new`, `+${Math.round(aheadMs / 1_000)}\n`);
    renameSync(`${path}.new`, path);
  }
}
