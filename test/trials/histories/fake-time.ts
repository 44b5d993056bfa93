// libfaketime: a process under it reads its clocks from a file, at every call.

import { existsSync } from 'node:fs';

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
